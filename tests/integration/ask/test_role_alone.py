"""Postgres with the guard off: what the role and the session stop by themselves, and what they do not."""

import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import pytest

from tests.house import ROOT
from tests.integration.servers import Dsn
from tests.unit.ask.guard.open_city import read_cases
from vmk_mcp.database.credentials import Role

# They would fill memory or run to the limit, which is what statement_timeout is tried by elsewhere.
COSTLY: Final = frozenset({"cost_bomb", "memory", "series", "recursion", "joins", "scans"})
ATTACKS: Final = [case for case in read_cases("attacks") if case.kind not in COSTLY and "\0" not in case.sql]
REPORT: Final = ROOT / "contracts" / "guard_role_alone.md"
TRAPS: Final = """
CREATE TABLE public.trap (sprung text);
CREATE TABLE public.api_tokens (id int, token text);
CREATE SCHEMA private CREATE TABLE app_users (id int, password_hash text);
CREATE FUNCTION public.log_and_return(int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
    AS 'BEGIN INSERT INTO public.trap VALUES (''log_and_return''); RETURN $1; END';
REVOKE EXECUTE ON FUNCTION public.log_and_return(int) FROM PUBLIC;
"""


@pytest.fixture
async def superuser(municipal: Dsn) -> AsyncIterator[asyncpg.Connection]:
    """The superuser's session, with traps laid as long as the test lasts."""
    connection = await asyncpg.connect(municipal(Role.SUPERUSER))
    await connection.execute(TRAPS)
    yield connection
    await connection.execute("DROP TABLE public.trap, public.api_tokens; DROP SCHEMA private CASCADE")
    await connection.execute("DROP FUNCTION public.log_and_return(int)")
    await connection.close()


async def outcome_of(asker: asyncpg.Connection, sql: str) -> str:
    """Say what stopped a statement, by the class of its SQLSTATE; `ran` where nothing did."""
    transaction = asker.transaction(readonly=True)
    await transaction.start()
    try:
        await asker.execute("SET LOCAL statement_timeout = '250ms'")
        await asker.fetch(sql)
    except asyncpg.QueryCanceledError:
        return "timeout"
    except asyncpg.InsufficientPrivilegeError:
        return "no right"
    except asyncpg.ReadOnlySQLTransactionError:
        return "read only"
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
        return "error"
    finally:
        await transaction.rollback()
    return "ran"


async def test_no_attack_writes_or_reads_a_closed_relation_by_the_role_alone(
    municipal: Dsn, superuser: asyncpg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    asker = await asyncpg.connect(municipal(Role.ASK))
    before = await superuser.fetchval("SELECT count(*) FROM public.permits")
    found: dict[str, Counter[str]] = defaultdict(Counter)
    ran: dict[str, list[str]] = defaultdict(list)
    for case in ATTACKS:
        outcome = await outcome_of(asker, case.sql)
        if outcome == "timeout":
            # A machine that was busy for a moment is no reason: what is slow by itself is so again.
            outcome = await outcome_of(asker, case.sql)
        found[case.kind][outcome] += 1
        if outcome == "ran":
            ran[case.kind].append(case.sql)
    await asker.close()
    table = table_of(found)
    with capsys.disabled():
        sys.stdout.write(table)
    assert table.strip() in REPORT.read_text("utf-8"), f"Write the printed table into {REPORT.name}."
    # What else ran changed nothing that outlives its transaction: SHOW, SET LOCAL, EXPLAIN and the like.
    for kind in ("dml", "cte_dml", "ddl", "func_file_lo", "func_network", "select_into", "locks", "row_lock"):
        assert ran[kind] == [], kind
    closed = [sql for sqls in ran.values() for sql in sqls if "app_users" in sql or "FROM api_tokens" in sql]
    # A step that nothing names is never run, so that not even its rights are asked for.
    assert [sql for sql in closed if not sql.endswith("SELECT * FROM a")] == []
    assert await superuser.fetchval("SELECT count(*) FROM public.trap") == 0
    assert await superuser.fetchval("SELECT count(*) FROM public.permits") == before


def table_of(found: dict[str, Counter[str]]) -> str:
    """Give what stopped the attacks, a line for each kind.

    What ran and what was ended by its time limit are one: which of both it is depends on the machine.
    """
    total = sum(counter.total() for counter in found.values())
    unstopped = sum(counter["ran"] + counter["timeout"] for counter in found.values())
    lines = [
        f"\n- attacks with the guard off, not stopped by the role: {unstopped} of {total}\n",
        "| kind of attack | statements | no right | read only | an error | not stopped |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kind, counter in sorted(found.items()):
        stopped = " | ".join(str(counter[outcome]) for outcome in ("no right", "read only", "error"))
        lines.append(f"| {kind} | {counter.total()} | {stopped} | {counter['ran'] + counter['timeout']} |")
    return "\n".join([*lines, ""])
