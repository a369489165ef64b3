"""
Checks of CRDs and samples without declared cases.

CRDs and the settings of a project come in, checks with their verdicts go out. `checkplan` lists the checks.
`crdchecks`, `rulechecks`, `published`,
`lints`, `samples` and `appliedsamples` each make one kind of `verdict`; `fieldlines` finds the line of a field in a
file.
"""
