"""Checks what an embedder answered and brings it to unit length."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vmk_mcp.embedding.port import Vectors
from vmk_mcp.errors import EmbeddingUnavailable

# Far below the length of any real embedding, far above where float64 squares vanish.
_SHORTEST: Final = 1e-12


def unit_rows(
    rows: Sequence[Sequence[float] | Vectors], *, count: int, dimensions: int, model: str
) -> Vectors:
    """Give `rows` as `(count, dimensions) float32, unit rows`.

    Raises:
        EmbeddingUnavailable: wrong count or dimension, a value that is no finite number, a zero vector.
    """
    if len(rows) != count:
        raise EmbeddingUnavailable(
            f"The model {model!r} gave {len(rows)} vectors for {count} texts.",
            hint="Check that the configured address is that of an embedding server.",
        )
    for row in rows:
        if len(row) != dimensions:
            raise wrong_dimension(model, given=len(row), expected=dimensions)
    vectors = np.asarray(rows, dtype=np.float64).reshape(count, dimensions)
    # Values near the end of the range overflow to infinity, which the check below then names.
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    if not np.isfinite(lengths).all():
        raise _unusable(model, "values that are not finite numbers")
    if (lengths < _SHORTEST).any():
        raise _unusable(model, "nothing but zeros")
    unit: Vectors = (vectors / lengths[:, np.newaxis]).astype(np.float32)
    return unit


def wrong_dimension(model: str, *, given: int, expected: int) -> EmbeddingUnavailable:
    """Say that the vectors of `model` do not fit, with both numbers."""
    return EmbeddingUnavailable(
        f"The model {model!r} gives vectors of {given} dimensions where {expected} are expected.",
        hint=f"Choose a model of {expected} dimensions, or the dimensions that the stored vectors have.",
    )


def _unusable(model: str, what: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"The model {model!r} gave a vector of {what}.",
        hint="Restart the embedding server or pull the model again; then look into the server's log.",
    )
