"""What an embedder answered, checked and brought to unit length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmk_mcp.embedding.vectors import unit_rows
from vmk_mcp.errors import EmbeddingUnavailable

VALUES = st.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False)


def test_rows_come_back_as_float32_of_unit_length() -> None:
    vectors = unit_rows([[3.0, 4.0], [0.0, -2.0]], count=2, dimensions=2, model="m")
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, -1.0]]


def test_no_rows_keep_their_shape() -> None:
    assert unit_rows([], count=0, dimensions=768, model="m").shape == (0, 768)


@pytest.mark.parametrize(
    ("rows", "count", "said"),
    [
        ([[1.0, 0.0]], 2, "gave 1 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0, 0.0]], 1, "gave 2 vectors for 1 texts"),
        ([[1.0, 0.0, 0.0]], 1, "3 dimensions where 2 are expected"),
        ([[1.0, 0.0], [1.0]], 2, "1 dimensions where 2 are expected"),
        ([[1.0, 0.0], []], 2, "0 dimensions where 2 are expected"),
        ([[float("nan"), 1.0]], 1, "not finite"),
        ([[float("inf"), 1.0]], 1, "not finite"),
        ([[1e200, 1e200]], 1, "not finite"),
        ([[0.0, 0.0]], 1, "zeros"),
        ([[1e-200, 0.0]], 1, "zeros"),
    ],
)
def test_unusable_rows_are_refused_with_the_reason(rows: list[list[float]], count: int, said: str) -> None:
    with pytest.raises(EmbeddingUnavailable, match=said) as caught:
        unit_rows(rows, count=count, dimensions=2, model="some-model")
    assert "some-model" in caught.value.message
    assert caught.value.hint
    assert caught.value.retryable


@given(st.lists(st.lists(VALUES, min_size=4, max_size=4), min_size=1, max_size=5))
def test_every_row_that_passes_has_unit_length_and_its_direction(rows: list[list[float]]) -> None:
    try:
        vectors = unit_rows(rows, count=len(rows), dimensions=4, model="m")
    except EmbeddingUnavailable:
        assert any(np.linalg.norm(row) < 1e-6 for row in rows)
        return
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert (np.einsum("nd,nd->n", vectors, np.array(rows)) > 0).all()
