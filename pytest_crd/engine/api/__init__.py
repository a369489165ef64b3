"""
CustomResourceDefinitions and their versions, as they are asked: the two classes that the engine's users hold.

A decoded manifest comes in; answers go out. `customresourcedefinition` and `version` ask, in this order: `crdanswers` (what a server makes
of the manifest, compiled once), `versionschema` (what the schema of a version says) and `context` (what is known beside the manifest).
"""
