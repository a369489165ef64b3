"""
Checks of CRDs and samples without declared cases.

CRDs and the settings of a project come in, checks with their verdicts go out. `checkplan` lists the checks. `crdchecks`,
`published`, `lints`, `samples` and `appliedsamples` make the `verdict`s; `fieldlines` finds the line of a field in a file.
"""
