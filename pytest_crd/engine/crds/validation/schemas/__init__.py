"""The validation of a CRD's schemas: `wholeschema` has the order, each other module one kind of rule."""
