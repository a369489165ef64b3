"""
The Common Expression Language as Kubernetes' API servers implement it, independent of CRDs.

`text` parses an expression, `types` checks it, `cost` estimates its cost, `run` evaluates it over `values` with the
functions of `library`. `environment` combines these steps, `explanation` explains a result.
"""
