"""
The text of expressions: from characters to a tree, and back.

A text and the macros come in; a tree (`ast`), or the errors of cel-go, go out. `lexer` makes tokens, `parser` a tree of what is well
formed, `syntax` the errors of what is not; `macros` expands calls, which `macrocalls` finds again, and `spelling` writes for people.
"""
