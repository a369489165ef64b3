"""
The documentation: what of it is made from the source, and whether what it shows is what happens.

`parts` has the parts of pages that are made from tables (`tables`) and docstrings (`pythonapi`); `python -m handbook` writes them. `pictures`
has the pictures, which it makes of runs (`terminalpicture`, `pagepicture`), and is written by the same command. `markdown` reads pages, `running`
runs what they show. `sitesearch` asks the search of the site that is built, `sitelook` opens its pages in a browser, and `siteversions` is its hook.
"""
