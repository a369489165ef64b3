"""
Round trips: objects of one version, converted to another version of their CRD and back.

`planning` chooses the CRDs, `tripobjects` the objects; `trips` converts one object, `differences` finds the differences, `surveys` collects them
by field, and `judging` returns the verdict.
"""
