"""A drafter behind an OpenAI-compatible `/v1/chat/completions`: OpenAI, Ollama, vLLM and others."""

import asyncio
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.answers import read_answer
from vmk_mcp.ask.drafting.endpoint import TIMEOUT_S, ModelEndpoint, ModelFailed, Pause, Route
from vmk_mcp.ask.drafting.prompt import Message, write_messages, write_system
from vmk_mcp.ask.model import AskedSource, Draft, Refusal

OPENAI_ADDRESS: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "gpt-4.1"
"""At OpenAI itself; another server is asked for a model of its own."""
_CUT_OFF: Final = frozenset({"length", "content_filter"})


class _Request(Struct, frozen=True):
    model: str
    messages: Sequence[Message]


class _Said(Struct, frozen=True):
    content: str | None = None


class _Choice(Struct, frozen=True):
    message: _Said
    finish_reason: str | None = None


class _Answer(Struct, frozen=True):
    choices: list[_Choice]


class OpenAIDrafter:
    """See `Drafter`; the address may end in `/v1` or not, or be the full one that ends in `/completions`."""

    backend = "openai"

    def __init__(
        self,
        api_key: str,
        model: str = DEFAULT_MODEL,
        *,
        address: str = OPENAI_ADDRESS,
        timeout_s: float = TIMEOUT_S,
        pause: Pause = asyncio.sleep,
    ) -> None:
        headers = (("authorization", f"Bearer {api_key}"),) if api_key else ()
        url = _completions_address(address)
        route = Route(
            url, "The OpenAI-compatible model", "OPENAI_API_KEY", "OPENAI_MODEL", headers, timeout_s
        )
        self._model = model
        self._endpoint = ModelEndpoint(route, pause=pause)

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        messages = (Message("system", write_system(source)), *write_messages(question, refused))
        try:
            answer = await self._endpoint.post(_Request(self._model, messages), _Answer)
        except ModelFailed as failure:
            return Refusal("generation_failed", str(failure))
        if not answer.choices or answer.choices[0].finish_reason in _CUT_OFF:
            return Refusal(
                "generation_failed",
                "The model did not finish its answer: ask for less at once, or in other words.",
            )
        return read_answer(answer.choices[0].message.content or "")

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()


def _completions_address(base_url: str) -> str:
    address = base_url.rstrip("/")
    if address.endswith("/completions"):
        return address
    return f"{address}/chat/completions" if address.endswith("/v1") else f"{address}/v1/chat/completions"
