"""Settings out of an environment: layers, aliases, defaults, contradictions."""

from datetime import date
from pathlib import Path

import pytest

from tests.unit.settings.faults import fault_lines
from vmk_mcp.settings import calm_native_threads, read_settings

EVERY_ADDRESS = ".".join(["0"] * 4)


def test_with_nothing_set_the_embedded_server_and_the_local_embedder_are_used() -> None:
    settings = read_settings({})
    assert settings.database.listings is None
    assert settings.embedding.embedder == "local"
    assert settings.embedding.data_model is None
    assert (settings.server.host, settings.server.port, settings.server.auth) == ("127.0.0.1", 8080, True)
    assert settings.warnings == ()


def test_with_a_foreign_database_ollama_and_its_model_are_used() -> None:
    embedding = read_settings({"DATABASE_URL": "postgresql://h/vmk_data"}).embedding
    assert (embedding.embedder, embedding.data_model) == ("ollama", "nomic-embed-text")


def test_an_empty_value_counts_as_not_set() -> None:
    assert read_settings({"DATABASE_URL": "", "MCP_PORT": " "}).server.port == 8080


def test_an_empty_prefix_is_a_prefix_and_keeps_its_blanks() -> None:
    embedding = read_settings({"EMBED_QUERY_PREFIX": "", "EMBED_DOCUMENT_PREFIX": "passage: "}).embedding
    assert (embedding.query_prefix, embedding.document_prefix) == ("", "passage: ")


@pytest.mark.parametrize(
    ("environ", "field", "value"),
    [
        ({"DB_POOL_MAX": "7"}, "pool_max_size", 7),
        ({"DB_POOL_MIN": "2"}, "pool_min_size", 2),
        ({"QUERY_TIMEOUT_SEC": "10"}, "query_timeout_s", 10.0),
        ({"DB_QUERY_TIMEOUT": "2.5"}, "query_timeout_s", 2.5),
        ({"DB_POOLER": "None"}, "pooler", "none"),
        ({"DB_POOLER": "transaction"}, "pooler", "transaction"),
    ],
)
def test_the_seeds_names_of_database_settings_work(
    environ: dict[str, str], field: str, value: object
) -> None:
    assert getattr(read_settings(environ).database, field) == value


def test_the_seeds_names_of_ollama_settings_work() -> None:
    embedding = read_settings(
        {"OLLAMA_HOST": "192.168.1.75:11434", "OLLAMA_MODEL": "bge-m3", "OLLAMA_TIMEOUT_SEC": "30"}
    ).embedding
    assert (embedding.ollama_url, embedding.ollama_model, embedding.request_timeout_s) == (
        "http://192.168.1.75:11434",
        "bge-m3",
        30.0,
    )


def test_a_bare_ollama_host_gets_scheme_and_port() -> None:
    assert read_settings({"OLLAMA_HOST": "gpu"}).embedding.ollama_url == "http://gpu:11434"


def test_a_dsn_is_made_of_its_parts_whatever_the_password_holds() -> None:
    password = "p@ss:w/o?rd#%&+ '\"\\"
    settings = read_settings({"DB_HOST": "db", "DB_PORT": "6432", "DB_USER": "u", "DB_PASSWORD": password})
    dsn = settings.database.listings
    assert dsn is not None
    assert dsn.parts.password is not None
    assert dsn.parts.password.reveal() == password
    assert dsn.shown == "postgresql://u@db:6432/vmk_data"


def test_parts_that_agree_with_the_dsn_are_no_contradiction() -> None:
    environ = {
        "DATABASE_URL": "postgresql://u:p@db:6432/x",
        "DB_HOST": "db",
        "DB_PORT": "6432",
        "DB_PASSWORD": "p",
    }
    assert read_settings(environ).database.listings is not None


def test_parts_that_contradict_the_dsn_are_named_without_their_values() -> None:
    environ = {"DATABASE_URL": "postgresql://u:hush@db/x", "DB_PASSWORD": "other", "DB_NAME": "y"}
    assert fault_lines(environ) == [
        "DB_NAME and DATABASE_URL contradict each other; set one of them.",
        "DB_PASSWORD and DATABASE_URL contradict each other; set one of them.",
    ]


def test_parts_without_a_host_are_a_fault() -> None:
    assert fault_lines({"DB_PASSWORD": "hush"}) == ["DB_HOST is missing beside DB_PASSWORD."]


def test_a_name_and_its_alias_may_say_the_same() -> None:
    assert read_settings({"DB_POOL_MAX": "7", "DB_POOL_MAX_SIZE": "07"}).database.pool_max_size == 7


def test_a_name_and_its_alias_that_differ_are_a_contradiction() -> None:
    assert fault_lines({"DB_POOL_MAX": "7", "DB_POOL_MAX_SIZE": "8"}) == [
        "DB_POOL_MAX and DB_POOL_MAX_SIZE contradict each other; set one of them."
    ]


def test_all_faults_are_named_at_once() -> None:
    lines = fault_lines(
        {
            "MCP_PORT": "abc",
            "DB_QUERY_TIMEOUT": "-1",
            "EMBEDDER": "gpt",
            "MCP_TRANSPORT": "sse",
            "MCP_AUTH": "maybe",
        }
    )
    assert [line.partition(" ")[0] for line in lines] == [
        "DB_QUERY_TIMEOUT",
        "EMBEDDER",
        "MCP_PORT",
        "MCP_TRANSPORT",
        "MCP_AUTH",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MCP_PORT", "65536"),
        ("MCP_PORT", "8_080"),
        ("MCP_PORT", "80.0"),
        ("DB_QUERY_TIMEOUT", "nan"),
        ("DB_QUERY_TIMEOUT", "0"),
        ("DB_QUERY_TIMEOUT", "1e3"),
        ("MAX_LIMIT", "101"),
        ("MCP_STATELESS_HTTP", "false"),
        ("MCP_HOST", "http://127.0.0.1"),
        ("MCP_ALLOWED_ORIGINS", "*"),
        ("MCP_ALLOWED_ORIGINS", "null"),
        ("MCP_ALLOWED_ORIGINS", "https://a.example/"),
        ("MCP_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("OLLAMA_BASE_URL", "ftp://h"),
        ("OLLAMA_BASE_URL", "http://me:hush@h:11434"),
        ("VMK_FAMILIES", "listings,lisings"),
        ("PRICE_CURRENCY", "GBP"),
        ("FX_RATES", '{"date": "2026-01-31", "UAH": 0}'),
        ("FX_RATES", '{"date": "31.01.2026", "UAH": 42}'),
        ("FX_RATES", '{"UAH": 42}'),
        ("FX_RATES", '{"date": "2026-01-31", "uah": 42}'),
        ("MCP_SERVER_NAME", "two\nlines"),
    ],
)
def test_an_impossible_value_is_refused_by_name(name: str, text: str) -> None:
    assert [line.partition(" ")[0] for line in fault_lines({name: text})] == [name]


def test_rates_are_read_with_their_date() -> None:
    rates = read_settings({"FX_RATES": '{"date": "2026-01-31", "UAH": 42.5, "EUR": 1}'}).listings.fx_rates
    assert rates is not None
    assert (rates.date, rates.per_usd) == (date(2026, 1, 31), {"UAH": 42.5, "EUR": 1.0})


def test_lists_are_read_with_commas_or_blanks_and_without_doubles() -> None:
    server = read_settings(
        {
            "MCP_ALLOWED_ORIGINS": "https://a.example, http://localhost:3000,https://a.example",
            "MCP_TRUSTED_PROXIES": "10.0.0.0/8 ::1",
        }
    ).server
    assert server.allowed_origins == ("https://a.example", "http://localhost:3000")
    assert server.trusted_proxies == ("10.0.0.0/8", "::1/128")


def test_all_stands_for_every_family() -> None:
    assert read_settings({"VMK_FAMILIES": "all"}).families == read_settings({}).families
    assert read_settings({"VMK_FAMILIES": "diagnostics,Listings"}).families == ("diagnostics", "listings")


def test_a_pool_whose_least_is_above_its_most_is_refused() -> None:
    assert fault_lines({"DB_POOL_MIN": "9", "DB_POOL_MAX": "3"}) == [
        "DB_POOL_MIN_SIZE (9) is above DB_POOL_MAX_SIZE (3)."
    ]


@pytest.mark.parametrize(
    ("name", "text", "sizes"), [("DB_POOL_MIN", "9", (9, 9)), ("DB_POOL_MAX", "3", (3, 3))]
)
def test_one_bound_of_the_pool_moves_the_others_default(name: str, text: str, sizes: tuple[int, int]) -> None:
    database = read_settings({name: text}).database
    assert (database.pool_min_size, database.pool_max_size) == sizes


def test_an_overlap_as_long_as_the_chunk_is_refused() -> None:
    assert fault_lines({"VECTOR_CHUNK_SIZE": "100", "VECTOR_CHUNK_OVERLAP": "100"}) == [
        "VECTOR_CHUNK_OVERLAP (100) must be less than VECTOR_CHUNK_SIZE (100)."
    ]


def test_an_openai_embedder_without_address_and_model_is_refused() -> None:
    assert [line.split()[-4] for line in fault_lines({"EMBEDDER": "openai"})] == [
        "EMBED_BASE_URL",
        "EMBED_MODEL",
    ]


@pytest.mark.parametrize("host", [EVERY_ADDRESS, "::", "192.168.1.5", "mcp.example.org"])
def test_an_address_that_others_reach_needs_a_tokens_file(host: str) -> None:
    (line,) = fault_lines({"MCP_HOST": host})
    assert "MCP_TOKENS_FILE must be set" in line
    assert read_settings({"MCP_HOST": host, "MCP_TOKENS_FILE": "tokens.toml"}).server.host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_auth_may_be_off_on_a_loopback_address(host: str) -> None:
    assert read_settings({"MCP_HOST": host, "MCP_AUTH": "off"}).server.auth is False


def test_auth_may_not_be_off_where_others_reach() -> None:
    (line,) = fault_lines({"MCP_HOST": EVERY_ADDRESS, "MCP_AUTH": "off", "MCP_TOKENS_FILE": "tokens.toml"})
    assert line.startswith("MCP_AUTH is off")


def test_an_unknown_name_with_our_prefix_warns_with_the_nearest() -> None:
    assert read_settings({"MCP_PROT": "1", "PATH": "/bin", "VECTOR_X": "1", "VECTOR_TOPK": "1"}).warnings == (
        "MCP_PROT is not a setting and was ignored; did you mean MCP_PORT?",
        "VECTOR_TOPK is not a setting and was ignored; did you mean VECTOR_SEARCH_TOP_K?",
        "VECTOR_X is not a setting and was ignored.",
    )


def test_a_name_of_other_programs_warns_only_when_it_is_nearly_ours() -> None:
    warnings = read_settings({"OLLAMA_NUM_PARALLEL": "2", "DB_POOL_MAXSIZE": "7"}).warnings
    assert [warning.partition(" ")[0] for warning in warnings] == ["DB_POOL_MAXSIZE"]


def test_no_secret_is_ever_shown() -> None:
    settings = read_settings(
        {
            "DATABASE_URL": "postgresql://u:hush1@h/x?sslpassword=hush2",
            "EMBED_API_KEY": "hush3",
            "VMK_TOKEN": "hush4",
            "ANTHROPIC_API_KEY": "hush5",
        }
    )
    assert "hush" not in repr(settings)
    assert "hush" not in f"{settings}"


@pytest.mark.parametrize(
    "text", ["mysql://u:hush@h/x", "postgresql://u:hush@h:port/x", "postgresql://u:hush@h/x?sslmode=on"]
)
def test_a_bad_dsn_is_refused_without_its_password(text: str) -> None:
    (line,) = fault_lines({"DATABASE_URL": text})
    assert line.startswith("DATABASE_URL is no usable DSN: ")
    assert "hush" not in line


def test_a_path_is_made_absolute() -> None:
    settings = read_settings({"DATA_DIR": "somewhere", "MCP_TOKENS_FILE": "~/tokens.toml"})
    assert settings.data_dir == Path.cwd() / "somewhere"
    assert settings.server.tokens_file == Path.home() / "tokens.toml"


def test_in_a_checkout_the_default_folder_lies_in_it() -> None:
    assert read_settings({}).data_dir == Path(__file__).parents[3] / ".data"


def test_numpys_threads_are_calmed_unless_the_operator_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"OMP_NUM_THREADS": "2"}
    monkeypatch.setattr("os.environ", environ)
    calm_native_threads()
    assert environ == {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}


def test_the_process_environment_is_read_unless_another_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCP_PORT", "8123")
    (tmp_path / ".env").write_text("MCP_SERVER_NAME=mine\n", encoding="utf-8")
    server = read_settings().server
    assert (server.port, server.name) == (8123, "mine")
