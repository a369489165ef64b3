"""What pytest collects of case files, and how it shows what does not hold."""
