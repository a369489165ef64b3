"""
The Common Expression Language, as Kubernetes' API servers have it: it knows nothing of CRDs.

A text, the types of variables and a dialect come in; what goes out is an expression that is checked, estimated and run, or why it is
none. `text` reads it, `types` checks it, `cost` says what it may cost, `run` evaluates it over `values`, with the functions of
`library`. `environment` brings these together, `kubernetes` says which libraries a server has, `explanation` why a value is what it is.
"""
