"""
Parts of a CRD without effect: the server accepts them and does not do what they seem to say.

A CRD comes in, warnings go out. `schemaeffects` reads keywords, `patheffects` columns and scale paths, and `sizes`
the whole. `ruleeffects` tries rules, and `transitioneffects` tries to get around rules of changes. `effect` collects.
"""
