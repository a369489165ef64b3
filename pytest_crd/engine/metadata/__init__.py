"""
ObjectMeta and TypeMeta: decoding, validation, and their effects on requests.

An object comes in, decoded by the types of `metav1types`; field errors and changes go out. `typemeta` reads the kind. `requestmetadata` refuses or
changes metadata before validation, `systemmetadata` sets the fields of the server, and `objectmetavalidation` validates the rest.
"""
