"""
Reports for programs and for the pages of code hosts: facts come in, texts go out; nothing here writes a file.

`paths` names files as their readers do, `findings` puts causes together that are the same; of these each other module makes one format.
"""
