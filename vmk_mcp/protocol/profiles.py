"""Profiles: how strictly the protocol is kept towards one token, as data read at start."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from vmk_mcp.errors import SettingsError


class Profile(Struct, frozen=True, kw_only=True):
    """What one profile asks of its clients.

    Attributes:
        name: the word that a token's `profile` says.
        protocol_version: the one MCP version that `initialize` answers.
        version_header: whether an unsupported `MCP-Protocol-Version` header is HTTP 400 (`checked`).
        unknown_arguments: what becomes of a tool's argument that its schema does not know.
        text_content: the text beside `structuredContent`: the same JSON, or a summary of it for
            platforms that pay for the data twice.
    """

    name: str
    protocol_version: str
    version_header: Literal["checked", "ignored"]
    unknown_arguments: Literal["dropped", "refused"]
    text_content: Literal["json", "summary"]


class _ProfileFile(Struct, forbid_unknown_fields=True):
    """One file of `contracts/profiles`; the profile's name is the file's."""

    protocol_version: str
    version_header: Literal["checked", "ignored"]
    unknown_arguments: Literal["dropped", "refused"]
    text_content: Literal["json", "summary"]


_READER: Final = msgspec.json.Decoder(_ProfileFile)


def load_profiles(folder: Path) -> Mapping[str, Profile]:
    """Read every `*.json` of `folder`.

    Raises:
        SettingsError: no profile is there, or some are ill-formed; the message names all of those.
    """
    profiles: dict[str, Profile] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            profiles[path.stem] = Profile(
                name=path.stem, **msgspec.structs.asdict(_READER.decode(path.read_bytes()))
            )
        except (OSError, msgspec.DecodeError) as problem:
            reason = (
                problem if isinstance(problem, msgspec.ValidationError) else "it is no readable JSON file"
            )
            faults.append(f"Profile {path.name}: {reason}")
    if faults:
        raise SettingsError(
            f"{'; '.join(faults)}.", hint="A profile holds exactly the keys that fixed.json holds."
        )
    if not profiles:
        raise SettingsError(
            "No profile (*.json) was found.", hint="The ones shipped are in contracts/profiles."
        )
    return profiles
