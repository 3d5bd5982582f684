"""How to go through a parse tree whose nodes have fields of any name."""

from collections.abc import Iterator

from google.protobuf.message import Message


def inner_messages(message: Message) -> Iterator[Message]:
    """Give the messages right within one, in the order of their fields."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            if field.is_repeated:
                yield from value
            else:
                yield value
