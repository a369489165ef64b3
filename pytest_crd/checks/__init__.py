"""
Checks: what is asked of CRDs and samples without a case.

CRDs and the settings of a project come in, checks with their verdicts go out. `plan` lists the checks, `definitions`, `rules`, `published`,
`lints` and `samples` make one kind each, of `verdict`; `fieldlines` says where in a file stands what is wrong.
"""
