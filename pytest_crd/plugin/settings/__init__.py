"""
Settings of the user: one module for the project, and one for each feature. The table of their options is `pytest_crd.plugin.options`.

Each module has its settings, their table `SETTINGS`, a class for their values, and a function `read`. That function returns an object of
the class; None if the feature is off. `allsettings` joins these tables.
"""
