"""
The documentation: what of it is made from the source, and whether what it shows is what happens.

`parts` has the parts of pages that are made from tables (`tables`) and docstrings (`pythonapi`); `python -m handbook` writes them. `markdown`
reads pages, `running` runs what they show. `sitesearch` asks the search of the site that is built.
"""
