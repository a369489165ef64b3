"""Where the CRDs of a project come from."""
