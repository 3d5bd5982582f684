"""What can go wrong with an embedding server, in our own words."""

from typing import Final

from msgspec import Struct

from vmk_mcp.errors import EmbeddingUnavailable

_SERVER_FAULTS: Final = 500
"""RFC 9110, 15.6: from here on the fault is the server's."""


class TextsRefused(EmbeddingUnavailable):
    """The server is well but takes these texts not: no reason to stop asking it, nor to try them again."""

    retryable = False


class Server(Struct, frozen=True, kw_only=True):
    """How a server and the settings that lead to it are called.

    Attributes:
        name: as a sentence begins with it.
        model: the model that it is asked for.
        address_setting: where its address is set, and likewise the other settings.
        missing_model_hint: what to do when it does not know the model.
        address_hint: what the address looks like.
    """

    name: str
    model: str
    address_setting: str
    timeout_setting: str
    key_setting: str
    missing_model_hint: str
    address_hint: str


def unreachable(server: Server) -> EmbeddingUnavailable:
    """No connection comes about."""
    return EmbeddingUnavailable(
        f"{server.name} cannot be reached.",
        hint=f"Check that it is running and that {server.address_setting} is its address.",
    )


def broken_off(server: Server) -> EmbeddingUnavailable:
    """The connection broke before the whole answer was there, twice."""
    return EmbeddingUnavailable(
        f"{server.name} broke off the connection before it had answered.",
        hint=f"Try again; if it persists, check {server.address_setting} and the server's log.",
    )


def too_slow(server: Server, timeout_s: float) -> EmbeddingUnavailable:
    """The time limit passed."""
    return EmbeddingUnavailable(
        f"{server.name} did not answer within {timeout_s:g} s.",
        hint=f"Try again: a model that is being loaded is slow once. Else raise {server.timeout_setting}.",
    )


def unreadable(server: Server) -> EmbeddingUnavailable:
    """The answer is not JSON, is cut off, is endless, or holds no embeddings."""
    return EmbeddingUnavailable(
        f"{server.name} answered with something that holds no embeddings.",
        hint=f"Check that {server.address_setting} leads to an embedding server. {server.address_hint}",
    )


def refused(server: Server, status: int, body: bytes) -> EmbeddingUnavailable:
    """Translate an HTTP status other than 200; `body` only helps to tell the cases apart."""
    if status in {401, 403}:
        return EmbeddingUnavailable(
            f"{server.name} refused the key (HTTP {status}).", hint=f"Check {server.key_setting}."
        )
    if status < _SERVER_FAULTS and _names_a_missing_model(body):
        return EmbeddingUnavailable(
            f"{server.name} does not have the model {server.model!r}.", hint=server.missing_model_hint
        )
    if status in {400, 413, 422}:
        return TextsRefused(
            f"{server.name} refused the texts (HTTP {status}).",
            hint=f"Shorten them, or check that {server.model!r} is an embedding model.",
        )
    if status in {429, 503}:
        return EmbeddingUnavailable(
            f"{server.name} is overloaded (HTTP {status}).", hint="Try again in a few seconds."
        )
    if status < _SERVER_FAULTS:
        return EmbeddingUnavailable(
            f"{server.name} does not know this address (HTTP {status}).",
            hint=f"Check {server.address_setting}. {server.address_hint}",
        )
    return EmbeddingUnavailable(
        f"{server.name} failed (HTTP {status}).",
        hint="Try again; if it persists, look into the server's log.",
    )


def _names_a_missing_model(body: bytes) -> bool:
    said = body.lower()
    return b"model" in said and any(
        words in said for words in (b"not found", b"not exist", b"model_not_found", b"unknown model")
    )
