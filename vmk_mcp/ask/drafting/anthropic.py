"""A drafter behind Anthropic's Messages API."""

import asyncio
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.answers import read_answer
from vmk_mcp.ask.drafting.endpoint import TIMEOUT_S, ModelEndpoint, ModelFailed, Pause, Route
from vmk_mcp.ask.drafting.prompt import Message, write_messages, write_system
from vmk_mcp.ask.model import AskedSource, Draft, Refusal

DEFAULT_MODEL: Final = "claude-sonnet-4-5"
_ADDRESS: Final = "https://api.anthropic.com"
_VERSION: Final = "2023-06-01"
_MOST_TOKENS: Final = 2_048


class _Request(Struct, frozen=True):
    model: str
    system: str
    messages: Sequence[Message]
    max_tokens: int = _MOST_TOKENS


class _Block(Struct, frozen=True):
    type: str
    text: str = ""


class _Answer(Struct, frozen=True):
    content: list[_Block]
    stop_reason: str | None = None


class AnthropicDrafter:
    """See `Drafter`."""

    backend = "anthropic"

    def __init__(
        self,
        api_key: str,
        model: str = DEFAULT_MODEL,
        *,
        address: str = _ADDRESS,
        timeout_s: float = TIMEOUT_S,
        pause: Pause = asyncio.sleep,
    ) -> None:
        route = Route(
            f"{address}/v1/messages",
            "The Anthropic model",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_MODEL",
            (("x-api-key", api_key), ("anthropic-version", _VERSION)),
            timeout_s,
        )
        self._model = model
        self._endpoint = ModelEndpoint(route, pause=pause)

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        request = _Request(self._model, write_system(source), write_messages(question, refused))
        try:
            answer = await self._endpoint.post(request, _Answer)
        except ModelFailed as failure:
            return Refusal("generation_failed", str(failure))
        if answer.stop_reason in {"max_tokens", "refusal"}:
            return Refusal(
                "generation_failed",
                "The model did not finish its answer: ask for less at once, or in other words.",
            )
        return read_answer("\n".join(block.text for block in answer.content if block.type == "text"))

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()
