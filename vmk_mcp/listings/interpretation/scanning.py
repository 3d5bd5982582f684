"""Rules tried on a text: what they found, what «не» or «можна» takes back, and which words are spent."""

from typing import Final

from msgspec import Struct, field

from vmk_mcp.listings.interpretation.grammar import Rule, load_grammar
from vmk_mcp.listings.interpretation.lexicon import Token, load_lexicon
from vmk_mcp.listings.interpretation.outcome import Ignored
from vmk_mcp.listings.interpretation.readings import READERS, Fields, Refusal, Span

EXCLUDED: Final = "no filter leaves this out"
ALLOWED: Final = "allowed, not asked for"

_NEGATORS: Final = ("not", "except", "without")
_BETWEEN_NEGATOR_AND_WISH: Final = ("in", "on", "with", "near", "for", "district_word", "city_word")


class Finding(Struct, frozen=True):
    """Filters and the tokens, `first` to before `end`, that they came from.

    Attributes:
        implied_city: the town of a district that goes by an everyday name, unless the text names another.
        keeps_words: whether the words say more than the filter, and so stay among those to search for.
    """

    first: int
    end: int
    fields: Fields
    implied_city: str | None = None
    keeps_words: bool = False


class Scan(Struct):
    """A text on its way through the rules; `signs` has one character for each token.

    Attributes:
        excluded: ranges of tokens that say what is not wanted, and that no filter expresses.
    """

    text: str
    tokens: list[Token]
    signs: list[str]
    findings: list[Finding] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    excluded: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def begin(cls, text: str) -> "Scan":
        """Cut the text, whose letters are mended."""
        tokens = load_lexicon().tokenize(text)
        return cls(text, tokens, [token.sign for token in tokens])

    def words(self, first: int, end: int) -> str:
        """Give the text of a range of tokens."""
        return self.text[self.tokens[first].start : self.tokens[end - 1].end]

    def mark(self, first: int, end: int, kind: str) -> None:
        """Give a range of tokens another kind, so that no later rule takes them."""
        sign = load_lexicon().signs[kind]
        self.signs[first:end] = [sign] * (end - first)

    def is_kind(self, index: int, *kinds: str) -> bool:
        """Say whether there is a token at `index` and it is of one of these kinds."""
        signs = load_lexicon().signs
        return 0 <= index < len(self.signs) and self.signs[index] in {signs[kind] for kind in kinds}

    def was_kind(self, index: int, *kinds: str) -> bool:
        """Say whether the token at `index` was of one of these kinds before any rule took it."""
        signs = load_lexicon().signs
        return 0 <= index < len(self.tokens) and self.tokens[index].sign in {signs[kind] for kind in kinds}

    def take(self, finding: Finding, kind: str = "taken") -> None:
        """Keep what was found, unless the words around take it back."""
        if not self.withdraw(finding.first, finding.end):
            self.findings.append(finding)
            self.mark(finding.first, finding.end, kind)

    def withdraw(self, first: int, end: int) -> bool:
        """Void a range that is negated or only allowed, and say so; False where it stands."""
        before = first - 1
        while self.is_kind(before, *_BETWEEN_NEGATOR_AND_WISH):
            before -= 1
        opening = before - 1 if self.is_kind(before, "and", "suffix") else before
        if self.is_kind(opening, "may"):
            return self._void(opening, end, ALLOWED)
        if self.is_kind(before, "needed", "wanted") and self.is_kind(before - 1, "not"):
            return self._void(before - 1, end, ALLOWED)
        if self.is_kind(before, *_NEGATORS) and not self.is_kind(first, *_NEGATORS):
            # «Не потребує ремонту» says what is wanted.
            is_praise = self.was_kind(first, "demands")
            return self._void(before, end, EXCLUDED) if is_praise else self._exclude(before, end)
        if self.is_kind(end, "may") and not self.is_kind(end + 1, "word", "taken", "without", "with"):
            return self._void(first, end + 1, ALLOWED)
        if self.is_kind(end, "not") and self.is_kind(end + 1, "needed", "wanted", "demands"):
            return self._void(first, end + 2, ALLOWED)
        return False

    def exclude_words(self) -> None:
        """Exclude the words that stand behind a «не» and became nothing else."""
        for first in range(len(self.tokens)):
            at = first + 1
            while self.is_kind(at, *_BETWEEN_NEGATOR_AND_WISH):
                at += 1
            if self.is_kind(first, "not", "except") and self.is_kind(at, "word"):
                self._exclude(first, at + 1)

    def without_excluded(self) -> str:
        """Give the text without what is excluded; a comma stands for it between other words."""
        pieces: list[str] = []
        start = 0
        for first, end in sorted(self.excluded):
            pieces.append(self.text[start : self.tokens[first].start].strip(" ,"))
            start = self.tokens[end - 1].end
        pieces.append(self.text[start:].strip(" ,"))
        return ", ".join(piece for piece in pieces if piece)

    def _exclude(self, first: int, end: int) -> bool:
        while self.is_kind(end, "district_word", "city_word"):
            end += 1
        self.excluded.append((first, end))
        return self._void(first, end, EXCLUDED)

    def _void(self, first: int, end: int, reason: str) -> bool:
        self.mark(first, end, "void")
        self.ignored.append(Ignored(self.words(first, end), reason))
        return True

    def apply_grammar(self) -> None:
        """Try all rules in their order."""
        line = "".join(self.signs)
        for rule in load_grammar():
            matches = [match.span() for match in rule.pattern.finditer(line)]
            for first, end in matches:
                self._apply(rule, first, end)
            if matches:
                line = "".join(self.signs)

    def _apply(self, rule: Rule, first: int, end: int) -> None:
        outcome = READERS[rule.subject](rule.reads, Span(self.tokens[first:end], self.signs[first:end]))
        if outcome is None:
            return
        if isinstance(outcome, Refusal):
            self.mark(first, end, "void")
            if outcome.reason:
                self.ignored.append(Ignored(self.words(first, end), outcome.reason))
        else:
            self.take(Finding(first, end, outcome, keeps_words=rule.keeps))
