"""
Cases of an admission policy, about objects of any kind: each is a request to a server of its own, which has this policy alone.

Input: a case of a file with `policy:`, and the policies of the project. Output: the result of the case, as for cases of CRDs. The order of
the modules: `policysubjects` finds the policy, `caseserver` stores the objects of a case, `caserequests` makes its request, `recording`
listens to the policy, `unmatched` and `decidingvalues` explain its decision, `policyrunner` compares the answer with the expectations.
"""
