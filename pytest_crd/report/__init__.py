"""
Reports for people: lines, differences and the words of a mismatch.

Results of cases, checks and upgrades come in, texts go out; nothing here decides whether a test passes. `text` writes the report on a failed case,
`checkwords`, `upgradewords` and `paritywords` those on checks, upgrades and classes, and `remarkwords` and `casefilechanges` the lines about files.
`causes` turns the same results into data: `testfacts`, with the rules of `verdictrules`. `outputs` writes these for programs.
"""
