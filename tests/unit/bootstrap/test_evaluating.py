"""Which drafter an evaluation is run with."""

import pytest

from vmk_mcp.bootstrap.evaluating import WantedEvaluation, run_evaluations
from vmk_mcp.errors import InvalidArguments, SettingsError
from vmk_mcp.settings import read_settings


@pytest.mark.parametrize("backend", ["anthropic", "openai"])
def test_a_backend_without_its_key_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    wanted = WantedEvaluation(("municipal",), backend=backend)
    with pytest.raises(SettingsError, match="key is not set"):
        run_evaluations(read_settings(), wanted, print, print)


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(InvalidArguments, match="no backend oracle"):
        run_evaluations(read_settings(), WantedEvaluation(("municipal",), backend="oracle"), print, print)
