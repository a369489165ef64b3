"""The commands of `python -m pytest_crd`: a module each, with `add` for its arguments and `run` for its work."""
