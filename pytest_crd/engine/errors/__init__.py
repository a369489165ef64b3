"""
Field errors and refusals with the server's messages.

Checks make a `fielderror` for a field, with its `origin` in the schema, or a `refusal` of the whole request. `status` is the answer with all of them.
"""
