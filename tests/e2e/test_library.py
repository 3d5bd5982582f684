"""Resources, prompts and completions of the running service, over the real database."""

import json
from typing import Any, Final

from tests.e2e.service import Service

POINT: Final = {"longitude": "118.69", "latitude": "25.36"}
"""For arguments that take no name of a town."""


def result_of(service: Service, method: str, **params: object) -> dict[str, Any]:
    """Send a request and give its result."""
    answer = service.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    result: dict[str, Any] = answer.json()["result"]
    return result


def complete(service: Service, argument: str, value: str) -> list[str]:
    """Complete an argument of the prompt for home seekers."""
    asked = {"name": argument, "value": value}
    found = result_of(
        service, "completion/complete", ref={"type": "ref/prompt", "name": "find_home"}, argument=asked
    )
    values: list[str] = found["completion"]["values"]
    return values


def test_every_listed_resource_can_be_read_as_the_type_that_it_names(service: Service) -> None:
    listed = result_of(service, "resources/list")["resources"]
    assert listed
    for resource in listed:
        (content,) = result_of(service, "resources/read", uri=resource["uri"])["contents"]
        assert (content["uri"], content["mimeType"]) == (resource["uri"], resource["mimeType"])
        assert json.loads(content["text"])


def test_a_template_gives_a_listing_and_an_unknown_one_is_32002_with_its_uri(service: Service) -> None:
    templates = result_of(service, "resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == ["listing://{id}"]
    (content,) = result_of(service, "resources/read", uri="listing://1")["contents"]
    assert json.loads(content["text"])["id"] == 1
    missing = {"uri": "listing://999999999"}
    answer = service.post({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": missing})
    error = answer.json()["error"]
    assert (error["code"], error["data"]["uri"]) == (-32002, missing["uri"])


def test_every_listed_prompt_is_given_with_the_words_that_it_requires(service: Service) -> None:
    listed = result_of(service, "prompts/list")["prompts"]
    assert {"find_home", "summarize_city"} <= {prompt["name"] for prompt in listed}
    for prompt in listed:
        required = [one["name"] for one in prompt["arguments"] if one["required"]]
        words = {name: POINT.get(name, "Львів") for name in required}
        given = result_of(service, "prompts/get", name=prompt["name"], arguments=words)
        assert all(word in given["messages"][0]["content"]["text"] for word in words.values())


def test_names_are_completed_from_the_database(service: Service) -> None:
    assert complete(service, "city", "ки")[0] == "Київ"
    assert "Печерський" in complete(service, "district", "Печер")
    assert complete(service, "metro_station", "Арсен") == ["Арсенальна"]
    assert complete(service, "city", "Ъ") == []
