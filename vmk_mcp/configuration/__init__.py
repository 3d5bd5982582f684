"""What an operator may set: the table of settings, their kinds, and how their texts become values."""
