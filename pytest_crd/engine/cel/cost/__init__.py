"""
What expressions cost at least and at most, before they are run.

A checked expression and the sizes of variables come in, a range of costs goes out. `estimate` adds up what nodes cost, of values whose
sizes it knows from `knownsizes`; `earlierestimate` is what differs in older versions.
"""
