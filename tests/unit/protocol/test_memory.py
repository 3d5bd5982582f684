"""Memory stays bounded whatever is sent: nothing of a message is kept, none takes many times its size."""

import gc
import json
import random
import tracemalloc
from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from tests.unit.protocol.conversation import PROTOCOL, caller

WHO: Final = caller(profile="standard")
SIZE: Final = 1024 * 1024
KEPT: Final = 64 * 1024
"""Bytes that caches of the interpreter may grow by while thousands of messages are read."""
TIMES: Final = 15
"""An object of many short keys takes the most: a place in a dictionary and two objects for 12 bytes."""


def call(arguments: str) -> bytes:
    opening = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_books","arguments":'
    return f"{opening}{arguments}}}}}".encode()


LARGE: Final = {
    "brackets": b"[" * SIZE,
    "braces": b'{"a":' * (SIZE // 5),
    "a long number": b'{"jsonrpc":"2.0","id":' + b"9" * SIZE + b"}",
    "a long text": call('{"query":"' + "x" * SIZE + '"}'),
    "many unknown keys": call("{" + ",".join(f'"k{n}":{n}' for n in range(SIZE // 12)) + "}"),
    "a long list": call('{"filters":{"ids":[' + "1," * (SIZE // 2) + "1]}}"),
    "text in text": call(json.dumps({"filters": json.dumps({"a": "\\" * (SIZE // 8)})})),
    "a batch": b"[" + b'{"jsonrpc":"2.0","id":1,"method":"ping"},' * (SIZE // 41) + b"1]",
    "escapes": call('{"query":"' + "\\u0000" * (SIZE // 6) + '"}'),
}


@pytest.fixture(autouse=True)
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def hostile(count: int) -> Sequence[bytes]:
    """Give messages that are nearly right, a few bytes of each changed; the same in every run."""
    chance = random.Random(42)  # noqa: S311 (nothing is secret here)
    good = [
        *(body[:600] for body in LARGE.values()),
        call('{"query":"слово","limit":"3"}'),
        call('{"a":"1"}'),
    ]
    made = []
    for _ in range(count):
        body = bytearray(chance.choice(good))
        for _ in range(chance.randrange(1, 6)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        made.append(bytes(body))
    return made


def test_nothing_is_kept_of_thousands_of_messages() -> None:
    messages = hostile(4000)
    for message in messages[:2000]:
        PROTOCOL.read(message, WHO)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    for message in messages[2000:]:
        PROTOCOL.read(message, WHO)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    assert after - before < KEPT


@pytest.mark.parametrize("kind", LARGE)
def test_a_large_message_takes_a_bounded_multiple_of_its_size(kind: str) -> None:
    body = LARGE[kind]
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    answer = PROTOCOL.read(body, WHO)
    _, peak = tracemalloc.get_traced_memory()
    assert answer is not None
    assert peak - before < TIMES * len(body)
