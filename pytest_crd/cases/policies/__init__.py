"""
Cases of admission policies: the second subject of case files, beside the version of a CRD.

`policysubjects` finds the policy, `caserequests` makes the request, `caseserver` opens a fork of the project's server with the objects of
the case, and `policyrunner` compares the answer with the expectations.
"""
