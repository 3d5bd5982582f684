"""Which drafter writes SQL for questions, by the keys that the operator has set."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from vmk_mcp.ask.model import AskedSource, Draft, Refusal
from vmk_mcp.ask.ports import Drafter
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

    Only what is taken is loaded, and with a model behind HTTP its client.

    Raises:
        SettingsError: OPENAI_BASE_URL is set without a model, or is no address.
    """
    if settings.anthropic_key is not None:
        from vmk_mcp.ask.drafting.anthropic import DEFAULT_MODEL, AnthropicDrafter  # noqa: PLC0415 - see above

        model = settings.anthropic_model or DEFAULT_MODEL
        claude = AnthropicDrafter(settings.anthropic_key.reveal(), model)
        return ChosenDrafter(claude, claude.close)
    if settings.openai_key is not None or settings.openai_url is not None:
        return _make_compatible(settings)
    return ChosenDrafter(LateDrafter(), _close_nothing)


def _make_compatible(settings: AskSettings) -> ChosenDrafter:
    from vmk_mcp.ask.drafting.openai_compatible import DEFAULT_MODEL, OpenAIDrafter  # noqa: PLC0415 - see above

    key = settings.openai_key.reveal() if settings.openai_key is not None else ""
    if settings.openai_url is None:
        gpt = OpenAIDrafter(key, settings.openai_model or DEFAULT_MODEL)
        return ChosenDrafter(gpt, gpt.close)
    if settings.openai_model is None:
        raise SettingsError(
            "OPENAI_BASE_URL is set without OPENAI_MODEL.",
            hint="Name a model that this server has, such as OPENAI_MODEL=qwen3.",
        )
    compatible = OpenAIDrafter(key, settings.openai_model, address=settings.openai_url)
    return ChosenDrafter(compatible, compatible.close)


async def _close_nothing() -> None:
    """Close a drafter that holds nothing open."""
