"""Encodings of documents: which is taken, and what is no text."""

import pytest

from vmk_mcp.knowledge.decoding import Undecodable, decode

UKRAINIAN = "Привіт, їжаче! Ґанок, ціна – 500 грн."


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (UKRAINIAN.encode(), "utf-8"),
        (UKRAINIAN.encode("utf-8-sig"), "utf-8-sig"),
        (UKRAINIAN.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + UKRAINIAN.encode("utf-16-be"), "utf-16"),
        (UKRAINIAN.encode("cp1251"), "cp1251"),
    ],
)
def test_a_text_is_read_in_each_of_the_encodings(content: bytes, encoding: str) -> None:
    decoded = decode(content)
    assert (decoded.text, decoded.encoding) == (UKRAINIAN, encoding)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x89PNG\r\n\0\0", "binary"),
        (b"a\0b", "binary"),
        ("a\0b".encode("utf-16"), "binary"),
        (UKRAINIAN.encode("utf-16-le"), "binary"),
        (UKRAINIAN.encode("utf-32"), "UTF-32"),
        (b"\xff\xfeabc", "UTF-16"),
        (b"\xff\xfe\x00\xd8", "UTF-16"),
        (b"\x98\x98\x98", "Windows-1251"),
        (UKRAINIAN.encode()[:20] + b"\xff" + UKRAINIAN.encode()[20:], "damaged"),
        (b"\xef\xbb\xbfabc\xff", "damaged"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(Undecodable, match=reason):
        decode(content)


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"").text == ""
