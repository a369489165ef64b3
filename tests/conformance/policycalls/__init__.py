"""
Calls that upstream's tests of admission policies make, with their results, replayed by our functions.

Each module has `left_out`, which returns why a fact has no replay, and `find_difference`, which returns the difference of
our result; both are empty otherwise.
"""
