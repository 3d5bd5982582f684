"""Evaluation: labelled questions through the real service, their rows beside those of a gold query."""
