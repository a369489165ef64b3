pytest_plugins = ["crd"]
