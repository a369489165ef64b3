"""
The types of expressions: what names mean, and which types agree.

A tree and declarations come in; a checked expression (`checked`), or what does not agree, goes out. `types` has the types, `unification`
their parameters; `functions` says what a library brings, with what calls cost (`costs`); `checker` asks all of them.
"""
