"""
Admission of requests: the parts that policies and webhooks share.

`chain` is the order of the plugins: mutating policies and webhooks, a second round of them after changes, then validating policies and
webhooks. `matching` decides which requests a plugin sees, `expressions` evaluates CEL with the variables of admission, and `patches`
applies JSON patches and apply configurations to the admitted object.
"""
