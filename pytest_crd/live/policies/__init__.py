"""Cases of admission policies on a live server: the objects of a case there, and a dry run beside the answer of the engine."""
