"""
Parts of a CRD without effect, which the server accepts.

A CRD comes in, warnings go out. `schemaeffects` reads keywords, `patheffects` columns and scale paths, and `sizes`
the whole. `ruleeffects` tries rules, `ruledomains` tries them for all values of a small schema, and `transitioneffects`
tries to get around rules of changes. `effect` collects.
"""
