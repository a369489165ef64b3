"""
CustomResourceDefinitions on a server, from the decoded manifest to the conditions.

The forms of a CRD follow each other (`crdforms`): `decoded`, `defaulted`, `internal`, and `encoded` in answers;
`declared` is the model that both API versions share. `validation` checks the internal form; `nameconflicts` and
`conditions` follow for a valid CRD.
"""
