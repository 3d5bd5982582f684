"""What was found of one thing that the service needs, in words for a person."""

from typing import Literal

from msgspec import Struct

from vmk_mcp.configuration.dsn import Dsn, name_place
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.failures import explain_connection
from vmk_mcp.errors import StoreUnavailable, TooSlow, VmkError
from vmk_mcp.observe import Event, Warned


class Finding(Struct, frozen=True):
    """What was found of one thing.

    Attributes:
        subject: what was looked at.
        verdict: `warning`: it serves, but not fully; `failed`: it does not serve.
        message: what was found, one sentence.
        advice: what to do about it, or "".
    """

    subject: str
    verdict: Literal["ok", "warning", "failed"]
    message: str
    advice: str = ""


class KeptWarnings:
    """An observer that keeps what the parts warn of."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def observe(self, event: Event) -> None:
        """See `Observer.observe`."""
        if isinstance(event, Warned):
            self.messages.append(event.message)


def blame(subject: str, error: VmkError) -> Finding:
    """Make a finding of what was raised."""
    return Finding(subject, "failed", as_sentence(error.message), as_sentence(error.hint))


def blame_database(subject: str, error: VmkError, setting: str, foreign: Dsn | None, own: str) -> Finding:
    """Make a finding of a database that failed: why no connection came about, where that is it.

    Args:
        subject: what was looked at.
        error: what the database's pool raised.
        setting: the setting that names an operator's database.
        foreign: what it says; None: the database lies in a server of ours.
        own: that server's title.
    """
    if not isinstance(error, StoreUnavailable | TooSlow):
        return blame(subject, error)
    sentence, advice = explain_connection(error.__cause__)
    if foreign is None:
        return Finding(subject, "failed", f"{own}: {sentence}.", advice)
    place = f"Postgres at {name_place(foreign.parts)}"
    return Finding(subject, "failed", f"{place}: {sentence}.", f"{advice} {setting} says {foreign.shown}")


def foresee_server(subject: str) -> Finding:
    """Say whether the first start can make the embedded server, which is not there yet."""
    try:
        find_wheel_binaries()
    except VmkError as error:
        return blame(subject, error)
    return Finding(subject, "ok", "None has been made yet; the first start makes and fills it.")


def as_sentence(text: str) -> str:
    """Give the text with a capital at its beginning and a full stop at its end; nothing stays nothing."""
    return text[:1].upper() + text[1:] + ("." if text and text[-1] not in ".?!" else "")
