"""Drafters: whoever writes SQL for a question."""
