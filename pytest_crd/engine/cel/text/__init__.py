"""
Text of expressions: parsing into syntax trees, and writing them back.

The input is a text and macros; the output is a tree (`ast`) or cel-go's syntax errors. `lexer` tokenizes, `parser`
parses well-formed texts, `syntax` reports errors; `macros` expands calls, `macrocalls` recovers them, and `spelling`
writes expressions.
"""
