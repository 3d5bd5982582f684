"""The diagnostics family as clients see it: four tools of its own, and the conformance fixtures."""

from typing import Final

from vmk_mcp.diagnostics.conformance import (
    conformance_completers,
    conformance_prompts,
    conformance_resources,
    conformance_tools,
)
from vmk_mcp.diagnostics.model import Add, Added, Echo, Echoed, Nested, NoArguments
from vmk_mcp.tool import CallContext, Offer, Tool

FAMILY: Final = "diagnostics"


async def echo(arguments: Echo, context: CallContext) -> Echoed:
    """Give the text back."""
    return Echoed(arguments.text)


async def add(arguments: Add, context: CallContext) -> Added:
    """Give the sum."""
    return Added(arguments.a + arguments.b)


async def nested(arguments: Nested, context: CallContext) -> Nested:
    """Give back what was understood."""
    return arguments


async def noargs(arguments: NoArguments, context: CallContext) -> NoArguments:
    """Give nothing."""
    return arguments


OFFER: Final = Offer(
    family=FAMILY,
    tools=(
        Tool(
            family=FAMILY,
            name="echo",
            title="Echo",
            description="Gives `text` back unchanged. For contract tests.",
            arguments=Echo,
            result=Echoed,
            call=echo,
        ),
        Tool(
            family=FAMILY,
            name="add",
            title="Add",
            description="Gives the sum of two integers. For contract tests.",
            arguments=Add,
            result=Added,
            call=add,
        ),
        Tool(
            family=FAMILY,
            name="nested",
            title="Nested arguments",
            description="Gives an object and a list of integers back as understood. For contract tests.",
            arguments=Nested,
            result=Nested,
            call=nested,
        ),
        Tool(
            family=FAMILY,
            name="noargs",
            title="No arguments",
            description="Takes nothing and gives an empty object. For contract tests.",
            arguments=NoArguments,
            result=NoArguments,
            call=noargs,
        ),
        *conformance_tools(FAMILY),
    ),
    resources=conformance_resources(FAMILY),
    prompts=conformance_prompts(FAMILY),
    completers=conformance_completers(FAMILY),
)
