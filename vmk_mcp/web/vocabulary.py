"""The words that an entry of a tokens file may use, and what is wrong with one that it may not."""

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from vmk_mcp.protocol.faults import nearest

METRICS: Final = "metrics"


class Vocabulary(Struct, frozen=True):
    """Words for rights and profiles.

    A right of a family that is known but not served here opens nothing and is no fault: one tokens file goes
    with servers of different families, and with those of the next version.

    Attributes:
        families: every family's word, served here or not.
        rights: of each family that is served here, the rights beside its own word: its tools and groups.
        profiles: names of the profiles on record.
    """

    families: Collection[str]
    rights: Mapping[str, Collection[str]]
    profiles: Collection[str]

    def fault_of_right(self, word: str) -> str:
        """Say what is wrong with `word` as a right, or ""."""
        family, dot, _ = word.partition(".")
        if word in self.families or word == METRICS:
            return ""
        if family not in self.families:
            problem = "is of no family" if dot else "is no family"
            return f"{problem}{_meant(word, self._all_words())}"
        if family in self.rights and word not in self.rights[family]:
            return f"is no tool of {family}{_meant(word, self.rights[family])}"
        return ""

    def fault_of_profile(self, name: str) -> str:
        """Say what is wrong with `name` as a profile, or ""."""
        return "" if name in self.profiles else f"there are {', '.join(sorted(self.profiles))}"

    def opens_nothing(self, right: str) -> bool:
        """Say whether `right`, which is no fault, is of a family that is not served here."""
        return right != METRICS and right.partition(".")[0] not in self.rights

    def _all_words(self) -> list[str]:
        return [*self.families, METRICS, *(word for words in self.rights.values() for word in words)]


def _meant(word: str, known: Collection[str]) -> str:
    meant = nearest(word, sorted(known))
    return f" (did you mean {meant}?)" if meant else ""
