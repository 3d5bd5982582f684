"""From what is seen and what is remembered to calls of bounded size; pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from vmk_mcp.knowledge.watching.model import (
    Batch,
    Memory,
    Operation,
    Plan,
    Remembered,
    Scan,
    SeenFile,
    Standing,
    Verdict,
)

MAX_FILES: Final = 64
# What one call has to read and embed: on one core, the local embedder takes a minute for it.
MAX_CONTENT_BYTES: Final = 256 * 1024
# Of the request's body; a service takes 1 MiB.
MAX_PATH_BYTES: Final = 128 * 1024


def compare(scan: Scan, memory: Memory, *, retries_failed: bool) -> Plan:
    """Say what differs; files that failed as they are now count only with `retries_failed`.

    Nothing that the scan hides counts as gone.
    """
    new, changed, gone = [], [], []
    for path, seen in scan.files.items():
        known = memory.files.get(path)
        if known is None:
            new.append(path)
        elif known.sha256 != seen.sha256 or (known.standing is Standing.FAILED and retries_failed):
            changed.append(path)
    for path, known in memory.files.items():
        if path in scan.files or scan.hides(path):
            continue
        if not _could_not_be_deleted(known) or retries_failed:
            gone.append(path)
    return Plan(tuple(sorted(new)), tuple(sorted(changed)), tuple(sorted(gone)))


def cut_batches(plan: Plan, files: Mapping[str, SeenFile], suspects: Collection[str]) -> Iterator[Batch]:
    """Cut a plan into calls, each bounded in files, in the bytes of their content and of their paths.

    New files come before deletions: a file that was renamed is then known by its content while its old path
    is still in the index. `suspects`, which were in a call that came to nothing, come last and one by one, so
    that a file on which the service breaks keeps no other from being indexed.
    """
    order = (
        (Operation.ADD, plan.new),
        (Operation.UPDATE, plan.changed),
        (Operation.DELETE, plan.gone),
    )
    for operation, paths in order:
        healthy = [path for path in paths if path not in suspects]
        yield from (Batch(operation, group) for group in _group(healthy, files))
    for operation, paths in order:
        yield from (Batch(operation, (path,)) for path in paths if path in suspects)


def halve(batch: Batch) -> Sequence[Batch]:
    """Cut a batch of several files into two."""
    middle = len(batch.paths) // 2
    return Batch(batch.operation, batch.paths[:middle]), Batch(batch.operation, batch.paths[middle:])


def note_sent(memory: Memory, batch: Batch) -> Memory:
    """Remember, before a call, that its files may be in the index from now on."""
    if batch.operation is Operation.DELETE:
        return memory
    sent = {path: Remembered() for path in batch.paths}
    return msgspec.structs.replace(memory, files=memory.files | sent)


def note_verdicts(memory: Memory, batch: Batch, verdicts: Sequence[Verdict], scan: Scan) -> Memory:
    """Remember what the service said; a file of which it said nothing stays as it was.

    The content that the service says it read counts, not what the scan saw: it may have changed in between.
    """
    files = dict(memory.files)
    asked = set(batch.paths)
    for verdict in verdicts:
        if verdict.path not in asked or verdict.standing is Standing.SENT:
            continue
        if batch.operation is not Operation.DELETE:
            seen = scan.files[verdict.path].sha256
            files[verdict.path] = Remembered(verdict.sha256 or seen, verdict.standing, verdict.reason)
        elif verdict.standing is Standing.FAILED:
            files[verdict.path] = Remembered("", Standing.FAILED, verdict.reason)
        else:
            files.pop(verdict.path, None)
    return msgspec.structs.replace(memory, files=files)


def enter_generation(memory: Memory, generation: str) -> Memory:
    """Take over another generation: of none of the files is it known whether it holds them as they are."""
    return msgspec.structs.replace(
        memory, generation=generation, files={path: Remembered() for path in memory.files}
    )


def count(memory: Memory, standing: Standing) -> int:
    """Count the files that stand so."""
    return sum(known.standing is standing for known in memory.files.values())


def _could_not_be_deleted(known: Remembered) -> bool:
    return known.standing is Standing.FAILED and not known.sha256


def _group(paths: Sequence[str], files: Mapping[str, SeenFile]) -> Iterator[tuple[str, ...]]:
    group: list[str] = []
    content = letters = 0
    for path in paths:
        size = files[path].size if path in files else 0
        length = len(msgspec.json.encode(path)) + 1
        is_full = (
            len(group) == MAX_FILES or content + size > MAX_CONTENT_BYTES or letters + length > MAX_PATH_BYTES
        )
        if group and is_full:
            yield tuple(group)
            group, content, letters = [], 0, 0
        group.append(path)
        content += size
        letters += length
    if group:
        yield tuple(group)
