"""
Discovery: where the CRDs, samples and baseline of a project are found.

Settings and a folder come in, files and CRDs go out. `crdsources` asks `search`, `commands` and the settings for CRDs, `samplepaths` for
samples; `baseline` reads what users have today, of a commit (`releases`, `tags`) whose files `trees` gives; `git` alone runs git.
"""
