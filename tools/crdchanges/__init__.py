"""Single changes of CRDs, and the share that generated case files notice."""
