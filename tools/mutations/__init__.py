"""Random mutations of the package, and the share that its tests notice."""
