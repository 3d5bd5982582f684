"""A made-up county: the real names of Xianyou's eighteen towns, and nothing else that is real."""
