"""
Search for objects that make a rule true or false, guided by the structure of the rule.

Input: a rule of a version, an object and, for updates, the old object. Output: changes to both that give the rule the wanted value, the
likeliest first. A goal on an expression leads to goals on its parts, and these to values for places of the object; the engine evaluates
each change before it is returned.
"""
