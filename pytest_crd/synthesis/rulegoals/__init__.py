"""
Objects for which a rule is true or false, found by what has to hold of the parts of the rule.

Comes in: a rule of a version, an object, and where there is one the object that it replaces. Goes out: the changes of both that make
the rule what is wanted, the likeliest first. From a `goal` on an expression follow goals on its parts, and from those values for places
of the object; each change is evaluated by the engine before it is handed out.
"""
