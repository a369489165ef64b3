"""
Structural schemas (KEP-2335).

A schema as a CRD declares it comes in (`declaredschema`). `nonstructural` finds its violations; `structural` splits it into structure and value
validations, for the passes and the validation of objects. `schemamap`, `subschemas` and `ownertypes` answer questions about its places.
"""
