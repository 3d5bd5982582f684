"""A large folder of made-up documents, each of which alone answers one question."""

import random
from pathlib import Path
from typing import Final

from tests.bench.knowledge.questions import Question

_SUBJECTS: Final = (
    "ліфт",
    "дах",
    "паркінг",
    "двір",
    "підвал",
    "фасад",
    "котельня",
    "домофон",
    "генератор",
    "сквер",
)
_DEEDS: Final = (
    "полагодили",
    "замінили",
    "пофарбували",
    "утеплили",
    "закрили",
    "перевірили",
    "огородили",
    "оглянули",
)
_STREETS: Final = (
    "Садова",
    "Лісова",
    "Набережна",
    "Шкільна",
    "Вишнева",
    "Соборна",
    "Польова",
    "Зелена",
    "Річна",
)
_QUESTIONS: Final = 100


def write_folder(root: Path, files: int) -> list[Question]:
    """Write so many documents; gives questions over a hundred of them, worded otherwise than the texts."""
    chance = random.Random(7)  # noqa: S311 - the same folder each time
    facts = [
        (subject, deed, street, house)
        for street in _STREETS for house in range(1, 200) for subject in _SUBJECTS for deed in _DEEDS
    ]  # fmt: skip
    chosen = chance.sample(facts, files)
    for number, (subject, deed, street, house) in enumerate(chosen):
        path = root / f"{number % 40:02}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"# Вулиця {street}, {house}\n\nУ будинку {house} на вулиці {street} {deed} {subject}. "
            f"Роботи прийняла комісія; голова ОСББ подякував мешканцям.\n",
            encoding="utf-8",
        )
    return [
        Question(f"що зробили на {street} {house}: {subject}?", (f"{number % 40:02}/{number}.md",))
        for number, (subject, _, street, house) in enumerate(chosen[:_QUESTIONS])
    ]
