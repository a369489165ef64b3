"""Generated inputs: from a seed, or from files of real projects."""
