"""What a model wants to see before a query and before a document."""

from typing import Final

from msgspec import Struct


class Prefixes(Struct, frozen=True):
    """Text put before each query and before each document, its own blank included."""

    query: str = ""
    document: str = ""


# Each from the model's own card.
_NOMIC: Final = Prefixes(query="search_query: ", document="search_document: ")
_E5: Final = Prefixes(query="query: ", document="passage: ")
_E5_INSTRUCT: Final = Prefixes(
    query="Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
_GEMMA: Final = Prefixes(query="task: search result | query: ", document="title: none | text: ")
_NONE: Final = Prefixes()


def prefixes_for(model: str, query: str | None = None, document: str | None = None) -> Prefixes:
    """Give the prefixes that `model` was trained with; none for a model that is not known to have some.

    Args:
        model: its name, which may carry an owner and a tag (`owner/name:tag`).
        query: taken instead of the model's own, also when empty; None: the model's own.
        document: the same for documents.
    """
    own = _own_prefixes(model)
    return Prefixes(
        query=own.query if query is None else query,
        document=own.document if document is None else document,
    )


def _own_prefixes(model: str) -> Prefixes:
    name = model.casefold().rpartition("/")[2].partition(":")[0]
    words = name.split("-")
    if "e5" in words:
        return _E5_INSTRUCT if "instruct" in words else _E5
    if name.startswith("nomic-embed-text"):
        return _NOMIC
    return _GEMMA if name.startswith("embeddinggemma") else _NONE
