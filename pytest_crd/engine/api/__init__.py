"""
Public classes of the engine: CustomResourceDefinitions and their versions.

A decoded manifest goes in, answers come out. `customresourcedefinition` and `version` delegate, in this order, to
`crdfacts` (facts about a CRD), `crdanswers` (requests for the CRD itself, compiled once), `versionschema` (the schema
of a version) and `context` (facts that the manifest does not hold).
"""
