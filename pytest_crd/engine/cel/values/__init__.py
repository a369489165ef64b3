"""
Run-time values of expressions: types, comparison, conversion and display.

`celvalues` defines the types, further modules define kinds without a Python equivalent. `equality` and `conversions`
work on all types, and `display` formats them for messages.
"""
