"""The text of a tool's result, which is its JSON once more."""

import json

from hypothesis import given
from hypothesis import strategies as st

from vmk_mcp.protocol.envelope import encode
from vmk_mcp.protocol.results import quote_json

EVERY_SMALL_SIGN = "".join(map(chr, range(0x100)))


def test_every_sign_that_json_escapes_is_read_back_out_of_the_text() -> None:
    value = {'a "name"': [EVERY_SMALL_SIGN, "\\", '\\"', "\u2028", "Кобзар", "\U0001f600"]}
    assert json.loads(json.loads(quote_json(encode(value)))) == value


@given(st.recursive(st.text() | st.floats(allow_nan=False), lambda inner: st.dictionaries(st.text(), inner)))
def test_json_is_quoted_byte_for_byte_as_its_text_is_encoded(value: object) -> None:
    compact = encode(value)
    assert quote_json(compact) == encode(compact.decode())
