import asyncio
from collections.abc import Iterable

from vmk_mcp.web.joined_writes import JoinedWrites

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class RecordingTransport(asyncio.Transport):
    """Keeps what each system call would have sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.sent.append(b"".join(list_of_data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


def test_head_and_body_go_together() -> None:
    transport = RecordingTransport()
    joined = JoinedWrites(transport)
    joined.write(HEAD)
    joined.write(b"body")
    assert transport.sent == [HEAD + b"body"]


def test_an_answer_without_a_body_goes_when_it_is_known_that_there_is_none() -> None:
    transport = RecordingTransport()
    joined = JoinedWrites(transport)
    joined.write(HEAD)
    joined.write(b"")
    assert transport.sent == [HEAD]


def test_events_after_the_first_go_one_by_one() -> None:
    transport = RecordingTransport()
    joined = JoinedWrites(transport)
    for data in (HEAD, b"one", b"two", b"three"):
        joined.write(data)
    assert transport.sent == [HEAD + b"one", b"two", b"three"]


def test_a_client_that_asks_whether_to_go_on_is_told_at_once() -> None:
    transport = RecordingTransport()
    joined = JoinedWrites(transport)
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    for data in (interim, HEAD, b"body"):
        joined.write(data)
    assert transport.sent == [interim, HEAD + b"body"]


def test_a_head_whose_body_never_comes_goes_before_the_end() -> None:
    transport = RecordingTransport()
    joined = JoinedWrites(transport)
    joined.write(HEAD)
    joined.close()
    assert transport.sent == [HEAD]
    assert joined.is_closing()
