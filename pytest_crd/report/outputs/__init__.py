"""
Reports for programs and for the pages of code hosts: facts come in, texts go out; nothing here writes a file.

`repositorypaths` names files for their readers, `uniquefindings` merges equal causes; each other module produces one
format.
"""
