"""Tools for platforms' contract tests, probes and benchmarks."""
