"""The figures of one run of the search part as a page to read."""

from collections.abc import Iterable, Iterator, Sequence

from tests.bench.search.curve import Cost
from tests.bench.search.limits import FLAT, RATIO, RECALL
from tests.bench.search.measure import FEWER, SearchFigures
from tests.bench.search.recall import CaseFigures
from tests.bench.search.walks import Walk

_INTRODUCTION = """\
# How right and how quick searches are

Written by `make bench` over {rows:,} made-up listings with vectors of 768 dimensions; the real service over
the real pool, one connection. Recall is that of the first ten against every passing row measured;
milliseconds are CPU of the server process and of the service together, median and 95th percentile; the
ratio is that of the 95th to the better of both ways forced, in turns in the same run (limit {ratio}; recall
at least {recall}).

The vectors lie as a real model's: half of all pairs have a cosine from {low:.2f} to {high:.2f}, the nearest
neighbour {nearest:.2f}, the tenth {tenth:.2f}, the dimension around a point is {dimension:.0f} (those of
the sample, made by multilingual-e5-small: .82 to .86, .94, .91, 15). All queries look for flats in one
district."""

_CASES = ("filter", "pass", "thought", "way", "total", "recall", "service", "exact", "index", "ratio")


def write_page(figures: SearchFigures) -> str:
    """Write the page, in Markdown."""
    likeness = figures.likeness
    introduction = _INTRODUCTION.format(
        rows=figures.rows, ratio=RATIO, recall=RECALL, low=likeness.quartiles[0], high=likeness.quartiles[2],
        nearest=likeness.nearest, tenth=likeness.tenth, dimension=likeness.local_dimension,
    )  # fmt: skip
    return "\n\n".join(
        (
            introduction,
            _table(_CASES, map(_case, figures.cases)),
            "## After a fifth was deleted and a fifth rewritten, without vacuum",
            _table(_CASES, map(_case, figures.after_churn)),
            "## Walking pages of eight",
            _table(("list", "pages", "way", "twice", "gaps", "empty"), map(_walk, figures.walks)),
            "## As rows grow",
            f"Medians of CPU, milliseconds; flat means within {FLAT} times.",
            _table(("call", f"{FEWER:,}", f"{figures.rows:,}", "times", "answer"), _curve(figures)),
        )
    ) + "\n"  # fmt: skip


def _case(found: CaseFigures) -> Sequence[str]:
    ways = ", ".join(f"{way} {found.routes.count(way)}" for way in sorted(set(found.routes)))
    times = (
        f"{way.cpu_ms(50):.1f} / {way.cpu_ms(95):.1f}"
        for way in (found.service, found.exact, found.approximate)
    )
    return (
        found.case.name, f"{found.passing:,}", f"{found.estimate:,}", ways,
        "/".join(sorted(set(found.totals))), f"{found.service.recall:.3f}", *times, f"{found.ratio:.2f}",
    )  # fmt: skip


def _walk(walk: Walk) -> Sequence[str]:
    return (
        walk.name, f"{walk.pages} of {walk.wanted}", "; ".join(sorted(walk.path)),
        str(walk.doubles), str(walk.gaps), str(walk.empty),
    )  # fmt: skip


def _curve(figures: SearchFigures) -> Iterator[Sequence[str]]:
    fewer, more = figures.curve[FEWER], figures.curve[figures.rows]
    for name, cost in more.items():
        yield (name, _ms(fewer[name]), _ms(cost), f"{cost.cpu_ms / fewer[name].cpu_ms:.2f}", cost.total)


def _ms(cost: Cost) -> str:
    return f"{cost.cpu_ms:.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
