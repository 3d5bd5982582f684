"""`python -m vmk_mcp` is `vmk-mcp`."""

from vmk_mcp.cli.app import main

main()
