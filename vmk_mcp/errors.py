"""Named failures that a caller can act on, each with a stable code (see `contracts/errors.json`)."""

from typing import ClassVar


class VmkError(Exception):
    """A failure whose text may be shown to the caller.

    Attributes:
        code: stable machine-readable word; once published it is never renamed or reused.
        retryable: the same call may succeed later, unchanged.
        hint: what the caller can do about it, one sentence or empty.
        field: dotted path of the one argument at fault, or None.
    """

    code: ClassVar[str]
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "", field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field


class InvalidArguments(VmkError):
    """The arguments are ill-typed, out of range, or contradict each other."""

    code = "invalid_arguments"


class NotFound(VmkError):
    """What was asked for by its identity does not exist."""

    code = "not_found"


class NotOffered(VmkError):
    """The live database lacks something that this query needs (a column, a table, an extension)."""

    code = "not_offered"


class StoreUnavailable(VmkError):
    """Postgres cannot be reached or dropped the connection."""

    code = "store_unavailable"
    retryable = True


class TooSlow(VmkError):
    """A statement ran past its time limit and was cancelled."""

    code = "too_slow"
    retryable = True


class TooLarge(VmkError):
    """The answer would exceed the response limit."""

    code = "response_too_large"


class EmbeddingUnavailable(VmkError):
    """The embedder cannot be reached, is too slow, or answered with something unusable."""

    code = "embedding_unavailable"
    retryable = True


class IndexNotReady(VmkError):
    """The index of documents is being made, and there is none yet to use meanwhile."""

    code = "index_not_ready"
    retryable = True


class SettingsError(VmkError):
    """Settings are ill-typed, impossible or contradict each other; the message names all of them."""

    code = "invalid_settings"


class StartError(VmkError):
    """The service cannot start on this machine as it is; the hint says what to do."""

    code = "cannot_start"
