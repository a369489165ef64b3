"""
Loading of a project's CustomResourceDefinitions from files.

The input is paths, the output CRDs and notes: `crdfiles` reads them, `copies` drops duplicates, `projectcrds` holds and
finds them.
"""
