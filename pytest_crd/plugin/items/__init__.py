"""
Items: what pytest collects of case files, and how it shows what does not hold.

`casefiles` and `cases` are pytest's collectors and items; features take part in them through `extensions` and `added`.
"""
