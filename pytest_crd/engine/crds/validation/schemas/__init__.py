"""Validation of the schemas of a CRD: `wholeschema` has the order, each other module one kind of rule."""
