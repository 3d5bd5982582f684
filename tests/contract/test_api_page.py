"""`contracts/api.md` is made of the schemas, errors and exchanges, and shows every tool and argument."""

from tests.contract.api_page import API_PAGE, write_api_page
from tests.contract.schema_files import entry_of, every_tool


def test_the_page_is_made_of_the_other_contracts() -> None:
    assert API_PAGE.read_text(encoding="utf-8") == write_api_page(), "run `make contracts`"


def test_every_tool_and_each_of_its_arguments_is_on_the_page() -> None:
    page = API_PAGE.read_text(encoding="utf-8")
    for tool in every_tool():
        assert f"### `{tool.name}`" in page
        for argument in entry_of(tool)["inputSchema"]["properties"]:
            assert f"`{argument}`" in page
