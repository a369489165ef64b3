"""
Loading: from files to the CustomResourceDefinitions of a project.

Paths come in, CRDs and notes go out: `crdfiles` reads them, `copies` tells which of one name count, `project` holds and finds them.
"""
