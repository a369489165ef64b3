"""
Admission policies: ValidatingAdmissionPolicies and MutatingAdmissionPolicies with their bindings and params.

`definitions` has policies and bindings as data. `composition` compiles their expressions, `compiledpolicies` a whole
policy. For a request, `invocations` finds the policies, bindings and params that match it; `mutating` and `validating`
are the admission plugins that evaluate them.
"""
