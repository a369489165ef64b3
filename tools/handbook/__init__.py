"""
Tools for the documentation: they write the generated parts and check the rest.

`python -m handbook` writes the parts of pages (`parts`) that come from tables (`tables`) and docstrings (`pythonapi`),
and the pictures (`pictures`), drawn from runs by `terminalpicture` and `pagepicture`. `markdown` parses pages and
`running` executes their commands. `sitesearch` tests the search of the built site, `sitelook` opens its pages in a
browser, and `sitehooks` has its MkDocs hooks.
"""
