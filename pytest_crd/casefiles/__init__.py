"""
Writing of observations into case files, in place or not at all.

Results come in, files go out. `observation` decides which expectations a case gets, `casetext` writes them into the
text of its file by `splicing`
the spans of `yamlspans`. `notes` combines the runs of a case, and `filereplacement` replaces a file as a whole.
"""
