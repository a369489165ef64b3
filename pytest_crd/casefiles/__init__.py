"""
Writing: what was observed is put into case files in place, or not at all.

Results come in, files go out. `observation` decides what a case is to state, `casetext` where its file has that, by `splicing` of the spans
that `yamlspans` finds; `notes` brings the runs of a case together, and `files` replaces a file whole.
"""
