-- After many rows were written: the planner routes searches by these statistics.

ANALYZE;
