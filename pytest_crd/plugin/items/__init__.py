"""
Collectors and items of case files, and the way pytest shows their failures.

`casefiles` and `cases` hold the collectors and items; features extend them through `extensions` and `added`.
"""
