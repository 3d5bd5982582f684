"""How one setting is declared."""

from msgspec import Struct

from vmk_mcp.configuration.kinds import DSN, SECRET, Kind


class Declaration(Struct, frozen=True):
    """One setting.

    Attributes:
        name: name in the environment.
        field: dotted path of its value in `Settings`.
        meaning: what it does, one sentence.
        default: the value when nobody sets it; None where it follows from something else.
        default_shown: in words, where `default` does not say it.
        unit: of the number, or "".
        aliases: other names for the same value.
        parts: names that together stand for the value (a DSN given piece by piece).
        families: the only ones that use it, where the subject in `field` is not the family itself.
    """

    name: str
    field: str
    kind: Kind
    meaning: str
    default: object = None
    default_shown: str = ""
    unit: str = ""
    aliases: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    @property
    def is_secret(self) -> bool:
        """Say whether the value must never be shown as it is."""
        return self.kind in (SECRET, DSN)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that this setting answers to."""
        return (self.name, *self.aliases, *self.parts)
