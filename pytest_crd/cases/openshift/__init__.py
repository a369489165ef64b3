"""
Suites in the format of openshift/api.

A file comes in, results of cases go out: `suite` reads it, `crds` finds its CRDs, and `suiterunner` runs a case as `cases.caserunner` does.
"""
