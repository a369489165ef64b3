"""
Loading of a project's CustomResourceDefinitions from files.

The input is paths, the output CRDs and notes: `crdfiles` reads them, `projectcrds` drops copies, holds and finds them.
"""
