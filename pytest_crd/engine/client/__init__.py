"""
Requests as clients send them: objects in Python go in, responses come out.

`completion` reads bodies and fills in omitted parts; `resourceclient` sends the requests for custom resources.
"""
