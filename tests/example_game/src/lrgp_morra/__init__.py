"""Two games of fingers for lrgpnode: morra, and odds and evens."""
