"""The head of a question: its subject, its measures and its superlatives, in the order of its words."""

from vmk_mcp.ask.drafting.offline.findings import Findings
from vmk_mcp.ask.drafting.offline.measuring import Measuring
from vmk_mcp.ask.drafting.offline.nouns import Noun, find_noun
from vmk_mcp.ask.drafting.offline.reading import Reading
from vmk_mcp.ask.drafting.offline.superlatives import Superlatives


def read_head(reading: Reading) -> Findings:
    """Account for the subject, measures and superlatives; raises `Unclear`."""
    findings = Findings()
    measuring = Measuring(reading, findings)
    superlatives = Superlatives(reading, findings, measuring)
    findings.subject = _find_subject(reading, findings)
    findings.asks_part = any(
        reading.kind(at) == "part" and reading.kind(at - 1) == "ask" for at in reading.used
    )
    readers = {"measure": measuring.read, "most": superlatives.read, "sort": superlatives.read_sort}
    for position in range(len(reading.items)):
        reader = readers.get(reading.kind(position))
        if reader is not None and position not in reading.used:
            reader(position)
    return findings


def _find_subject(reading: Reading, findings: Findings) -> Noun | None:
    """Find what `which`, `show` or a mere headline is about; None where a measure comes first."""
    asked = next((at for at in range(len(reading.items)) if reading.kind(at) == "ask"), -1)
    first = reading.after(asked, over={"filler", "link", "be", "ask", "light", "number"})
    if reading.kind(first) in {"measure", "most"}:
        return None
    start = asked + 1
    while reading.kind(start) in {"be", "filler"}:
        start += 1
    noun = find_noun(reading, start)
    if noun is not None:
        reading.use(noun.position)
        reading.forbid_pair(noun.position)
        findings.take_limit(noun.number)
    return noun
