"""Titles and descriptions of made-up offers, out of the phrase banks."""

from random import Random
from typing import Final

from vmk_mcp.sample.realty.chance import happens
from vmk_mcp.sample.realty.offers import Offer
from vmk_mcp.sample.realty.phrases import fill_phrase, read_bank
from vmk_mcp.sample.realty.slots import fill_slots

_ENGLISH_SHARE: Final = 0.03
_SHUFFLED_SHARE: Final = 0.6


def write_title(rng: Random, offer: Offer, language: str) -> str:
    """Write a title in `language` (`uk`, `ru`)."""
    bank = read_bank(language)
    templates = bank[f"title_{offer.premises.family}"][offer.premises.deal]
    title = fill_phrase(rng, templates, fill_slots(rng, offer, language, bank))
    if title is None:
        raise AssertionError(f"no title in {language} fits {offer.premises.kind}")
    return title


def write_description(rng: Random, offer: Offer, language: str) -> str:
    """Write one sentence for each aspect of the offer; agents do not all keep to one order."""
    bank = read_bank(language)
    slots = fill_slots(rng, offer, language, bank)
    opening, *body, closing = (
        fill_phrase(rng, bank[aspect.name].get(aspect.case, ()), slots) for aspect in offer.aspects
    )
    if happens(rng, _SHUFFLED_SHARE):
        rng.shuffle(body)
    if happens(rng, _ENGLISH_SHARE):
        closing = rng.choice(bank["english"][offer.premises.deal])
    return " ".join(sentence for sentence in (opening, *body, closing) if sentence)


def write_summary(rng: Random, offer: Offer) -> str:
    """Write what a model would have summed up of the offer, in Ukrainian whatever the offer's language."""
    bank = read_bank("uk")
    slots = fill_slots(rng, offer, "uk", bank)
    premises, sentences = offer.premises, bank["sentence"]
    deal = sentences[f"deal_{premises.deal}"][0]
    slots |= {"deal_phrase": deal, "Deal_phrase": deal.capitalize()}
    named = {aspect.name: aspect.case for aspect in offer.aspects}
    for name in ("renovation", "view"):
        known = sentences.get(f"{name}_{named.get(name)}")
        slots[f"{name}_sentence"] = known[0] if known else ""
    family = "flat" if premises.family == "flat" else "other"
    summary = fill_phrase(rng, bank[f"summary_{family}"]["any"], slots)
    if summary is None:
        raise AssertionError(f"no summary fits {premises.kind}")
    return " ".join(summary.split())
