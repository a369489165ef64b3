"""
Validation of admission policies and their bindings, with the server's words.

`objectvalidation` has the order of a create, an update and an update of the status. `policyspecs` and `bindingspecs` validate
the specs, with their expressions; `sharedparts` validates the parts that both have.
"""
