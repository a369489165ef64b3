"""
Discovery of the CRDs, samples and baseline of a project.

Settings and a folder come in, files and CRDs go out. `crdsources` gets CRDs from the settings, `search` and `commands`; `samplepaths` finds
samples. `baseline` reads the CRDs of users, from a commit (`releases`, `tags`) whose files are in `filetrees`; only `git` runs git.
"""
