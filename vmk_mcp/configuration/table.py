"""The table of all settings; parsing, `contracts/settings.json` and `.env.example` follow it."""

from typing import Final

from vmk_mcp.configuration.families import ASK, KNOWLEDGE, LISTINGS
from vmk_mcp.configuration.serving import PROCESS, SERVER, TRACING
from vmk_mcp.configuration.stores import DATABASES, EMBEDDING

SETTINGS: Final = (*DATABASES, *EMBEDDING, *SERVER, *TRACING, *LISTINGS, *KNOWLEDGE, *ASK, *PROCESS)
"""Every setting there is, in the order in which documentation shows them."""
