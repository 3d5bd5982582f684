"""The service when its database goes, comes back, or is somebody else's."""

import asyncio
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.e2e.service import VMK_MCP, Service, environment, fresh_service, serving
from tests.e2e.soak.postgres import Postgres
from tests.integration.pgbouncer import PgBouncer
from tests.integration.servers import open_folder
from vmk_mcp.database.account import find_home
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import DEFAULT_NAME, find_embedded
from vmk_mcp.database.postmaster import find_postmaster

_BACK_WITHIN_S: Final = 60


def error_of(result: dict[str, object]) -> dict[str, object]:
    assert result["isError"] is True, result
    content = result["content"]
    assert isinstance(content, list)
    error: dict[str, object] = json.loads(content[0]["text"])
    return error


def postgres_processes(data_dir: Path) -> list[psutil.Process]:
    """Give the postmaster whose cluster belongs to `data_dir`, in a list, or an empty one."""
    running = find_postmaster(find_home(data_dir, "postgres") / CLUSTER_FOLDER)
    return [psutil.Process(running.pid)] if running else []


def is_alive(process: psutil.Process) -> bool:
    """Say whether a process runs; one that nobody has reaped yet does not."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def kill_postgres(data_dir: Path) -> None:
    """Kill the postmaster of `data_dir` with all its backends, and wait until they are gone."""
    (postmaster,) = postgres_processes(data_dir)
    processes = [postmaster, *postmaster.children()]
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=20)


def call_until_found(service: Service) -> list[dict[str, object]]:
    """Read a listing until it is there, and give the errors that came before."""
    errors: list[dict[str, object]] = []
    deadline = time.monotonic() + _BACK_WITHIN_S
    while (result := service.call("get_listing_by_id", {"listing_id": 1})).get("isError"):
        errors.append(error_of(result))
        assert time.monotonic() < deadline, f"{errors[-1]}\n{service.log}"
        assert service.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 200
        time.sleep(0.05)
    assert result["structuredContent"]["id"] == 1
    return errors


def await_readiness(service: Service, status: int) -> None:
    """Wait until `/ready` answers so; it asks once a second at most."""
    deadline = time.monotonic() + _BACK_WITHIN_S
    while (told := service.get("/ready")).status_code != status:
        assert time.monotonic() < deadline, told.text
        time.sleep(0.05)


def test_killed_postgres_is_store_unavailable_for_a_moment_and_back_by_itself() -> None:
    with fresh_service() as service:
        before = find_embedded(service.data_dir)
        assert before is not None
        for _ in range(2):
            kill_postgres(service.data_dir)
            errors = call_until_found(service)
            assert {(error["code"], error["retryable"]) for error in errors} <= {("store_unavailable", True)}
        after = find_embedded(service.data_dir)
        assert after is not None
        assert after.port == before.port
        assert service.get("/ready").status_code == 200
        assert service.log.count("The embedded Postgres runs again.") == 2
        assert service.stop() == 0
        assert find_embedded(service.data_dir) is None


def test_two_services_whose_postgres_is_killed_share_one_again() -> None:
    with fresh_service() as first, serving(first.data_dir) as second:
        kill_postgres(first.data_dir)
        call_until_found(first)
        call_until_found(second)
        assert first.stop() == 0
        assert second.call("get_listing_by_id", {"listing_id": 1})["structuredContent"]["id"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_status_0_and_leaves_nothing_running(number: signal.Signals) -> None:
    with fresh_service() as service:
        processes = [*postgres_processes(service.data_dir), psutil.Process(service.process.pid)]
        assert len(processes) == 2
        assert service.stop(number) == 0
        assert not [process for process in processes if is_alive(process)]
        assert find_embedded(service.data_dir) is None


def test_the_second_start_loads_nothing_again() -> None:
    with open_folder() as folder:
        data_dir = folder / "data"
        data_dir.mkdir()
        with serving(data_dir) as first:
            token = first.token
        with serving(data_dir) as second:
            assert "Loading" not in second.log
            assert second.token == token
            assert second.call("get_listing_by_id", {"listing_id": 1})["structuredContent"]["id"] == 1


def test_two_services_share_one_server_and_the_last_one_stops_it() -> None:
    with fresh_service() as first:
        first_url = first.url
        with serving(first.data_dir) as second:
            assert second.url != first_url
            assert first.stop() == 0
            assert second.call("get_listing_by_id", {"listing_id": 1})["structuredContent"]["id"] == 1
        assert find_embedded(first.data_dir) is None


def test_it_starts_without_a_database_and_says_so() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nowhere = f"postgresql://vmk_reader:secret@127.0.0.1:{unused.getsockname()[1]}/vmk_data"
        with fresh_service(
            DATABASE_URL=nowhere,
            EMBEDDER="local",
            DATA_EMBED_MODEL="multilingual-e5-small",
            VMK_FAMILIES="listings",
        ) as service:
            assert service.get("/ready").status_code == 503
            assert service.get("/health").status_code == 200
            assert service.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 200
            error = error_of(service.call("search_by_metadata", {}))
            assert (error["code"], error["retryable"]) == ("store_unavailable", True)
            assert error["hint"]
            assert "secret" not in service.log


def test_a_foreign_database_may_come_late_lose_its_sessions_and_go_without_a_restart_of_the_service() -> None:
    listings = {"VMK_FAMILIES": "listings"}
    with open_folder() as folder, ExitStack() as serving_on:
        data_dir = folder / "data"
        data_dir.mkdir()
        with serving(data_dir, **listings) as first:
            address = find_embedded(first.data_dir)
            assert address is not None
            dsn = address.dsn(Role.READER, "vmk_data")
        settings = {"DATABASE_URL": dsn, "EMBEDDER": "local", "DATA_EMBED_MODEL": "multilingual-e5-small"}
        guest = serving_on.enter_context(fresh_service(**settings, **listings))
        assert guest.get("/ready").status_code == 503
        with serving(data_dir, **listings):
            call_until_found(guest)
            await_readiness(guest, 200)
            # All sessions end; whoever calls next notices nothing.
            asyncio.run(Postgres(data_dir, DEFAULT_NAME).terminate())
            found = guest.call("get_listing_by_id", {"listing_id": 1})
            assert found["structuredContent"]["id"] == 1
        assert error_of(guest.call("get_listing_by_id", {"listing_id": 1}))["code"] == "store_unavailable"
        await_readiness(guest, 503)
        assert guest.get("/health").status_code == 200


@pytest.fixture
def foreign(service: Service) -> Iterator[Service]:
    """A second service that reads the first one's database as somebody else's."""
    address = find_embedded(service.data_dir)
    assert address is not None
    with fresh_service(
        DATABASE_URL=address.dsn(Role.READER, "vmk_data"),
        EMBEDDER="local",
        DATA_EMBED_MODEL="multilingual-e5-small",
        # The other families keep databases of ours.
        VMK_FAMILIES="listings",
    ) as running:
        yield running


def test_a_foreign_database_is_searched_and_no_server_of_ours_is_started(foreign: Service) -> None:
    result = foreign.call("search_similar_listings", {"query": "квартира біля метро"})
    assert result["structuredContent"]["total"] > 0
    assert find_embedded(foreign.data_dir) is None


def test_a_foreign_database_is_searched_by_way_of_a_pooler_in_transaction_mode(service: Service) -> None:
    address = find_embedded(service.data_dir)
    assert address is not None
    with open_folder() as folder, PgBouncer(folder, address, size=2) as pgbouncer:
        dsn = pgbouncer.dsn(address.dsn(Role.READER, "vmk_data"))
        foreign = {
            "DATABASE_URL": dsn,
            "EMBEDDER": "local",
            "DATA_EMBED_MODEL": "multilingual-e5-small",
            "VMK_FAMILIES": "listings",
        }
        with fresh_service(DB_POOLER="transaction", **foreign) as running:
            result = running.call("hybrid_search", {"query": "квартира біля метро"})
            assert result["structuredContent"]["total"] > 0
            assert running.get("/ready").json()["families"] == {"listings": "ok"}
            assert "session setting" not in running.log
        # Without a word of the pooler, the way out is told.
        done = subprocess.run(
            [VMK_MCP, "doctor"],
            env=environment(folder, **foreign),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "DB_POOLER=transaction" in done.stdout


def test_a_foreign_database_has_no_rates_and_counts_what_a_price_bound_leaves_out(foreign: Service) -> None:
    found = foreign.call("search_by_metadata", {"filters": {"max_price": 50000}})["structuredContent"]
    assert {listing["currency"] for listing in found["listings"]} == {"USD"}
    assert found["price_basis"]["left_out"] > 0


def test_an_embedder_of_another_model_is_refused_at_start_with_both_names(service: Service) -> None:
    with open_folder() as folder:
        data_dir = folder / "data"
        data_dir.mkdir()
        address = find_embedded(service.data_dir)
        assert address is not None
        dsn = address.dsn(Role.READER, "vmk_data")
        foreign = {"DATABASE_URL": dsn, "EMBEDDER": "local", "VMK_FAMILIES": "listings"}
        with pytest.raises(AssertionError, match="nomic-embed-text") as ended, serving(data_dir, **foreign):
            pass
        assert "multilingual-e5-small" in str(ended.value)
        assert list(data_dir.iterdir()) == []
