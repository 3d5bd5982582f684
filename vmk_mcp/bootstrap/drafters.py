"""Which drafter writes SQL for questions, by the keys that the operator has set."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from vmk_mcp.ask.drafting import anthropic, openai_compatible
from vmk_mcp.ask.drafting.anthropic import AnthropicDrafter
from vmk_mcp.ask.drafting.openai_compatible import OpenAIDrafter
from vmk_mcp.ask.model import AskedSource, Draft, Refusal
from vmk_mcp.ask.ports import Drafter
from vmk_mcp.configuration.secret import Secret
from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import AskSettings


class ChosenDrafter(Struct, frozen=True):
    """A drafter, and what closes its connections."""

    drafter: Drafter
    close: Callable[[], Awaitable[None]]


class LateDrafter:
    """The offline drafter, loaded with the first question: it takes 10 MB, which not every service needs."""

    backend = "offline"

    def __init__(self) -> None:
        self._drafter: Drafter | None = None

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        if self._drafter is None:
            from vmk_mcp.ask.drafting.offline.drafter import OfflineDrafter  # noqa: PLC0415 - as the class says

            self._drafter = OfflineDrafter()
        return await self._drafter.draft(question, source, refused)


def choose_drafter(settings: AskSettings) -> ChosenDrafter:
    """Take Anthropic where there is a key for it, else an OpenAI-compatible server, else the offline one.

    Raises:
        SettingsError: OPENAI_BASE_URL is set without a model, or is no address.
    """
    if settings.anthropic_key is not None:
        model = settings.anthropic_model or anthropic.DEFAULT_MODEL
        claude = AnthropicDrafter(settings.anthropic_key.reveal(), model)
        return ChosenDrafter(claude, claude.close)
    if settings.openai_key is not None or settings.openai_url is not None:
        gpt = _make_compatible(settings)
        return ChosenDrafter(gpt, gpt.close)
    return ChosenDrafter(LateDrafter(), _close_nothing)


def _make_compatible(settings: AskSettings) -> OpenAIDrafter:
    if settings.openai_url is None:
        return OpenAIDrafter(
            _reveal(settings.openai_key), settings.openai_model or openai_compatible.DEFAULT_MODEL
        )
    if settings.openai_model is None:
        raise SettingsError(
            "OPENAI_BASE_URL is set without OPENAI_MODEL.",
            hint="Name a model that this server has, such as OPENAI_MODEL=qwen3.",
        )
    return OpenAIDrafter(_reveal(settings.openai_key), settings.openai_model, address=settings.openai_url)


def _reveal(key: Secret | None) -> str:
    return key.reveal() if key is not None else ""


async def _close_nothing() -> None:
    """Close a drafter that holds nothing open."""
