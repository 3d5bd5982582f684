"""Made-up people with numbers that no network has; where they turn up, something has leaked."""

from random import Random
from typing import Final

from vmk_mcp.sample.county.records import PHONE_PREFIX

_SURNAMES: Final = "陈林黄郑张吴李王傅杨谢许"
_GIVEN: Final = (
    "建国",
    "志强",
    "丽华",
    "秀英",
    "文彬",
    "金水",
    "美珍",
    "国栋",
    "春生",
    "庆华",
    "雪梅",
    "海山",
)


def draw_person(rng: Random) -> tuple[str, str]:
    """Give a name and a telephone number."""
    return rng.choice(_SURNAMES) + rng.choice(_GIVEN), f"{PHONE_PREFIX}{rng.randint(0, 9999):04}"
