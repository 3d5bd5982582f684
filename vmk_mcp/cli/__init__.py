"""The command line: one short module per command group, no logic."""
