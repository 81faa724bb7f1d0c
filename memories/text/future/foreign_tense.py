"""Whether a German, Spanish or French word tells of what is over or of what is to come, by its form."""

from __future__ import annotations

import re

from memories.text.future.found import Speech
from memories.text.wordlist import words

_PAST = {
    "de": words("war waren hatte hatten wurde wurden ging gingen kam kamen sah sahen traf trafen gestern gewesen"),
    "es": words(
        """fui fue fuimos fueron era eran estaba estuve estuvo estuvimos tuve tuvo tuvimos hice hizo hicimos vi vio
        vimos había ayer pasado pasada he ha hemos han"""
    ),
    "fr": words("était étais étaient étions avait avais avaient hier dernier dernière"),
    "it": words("ero era eravamo erano ieri scorso scorsa fui fu aveva avevo avevamo stato stata stati"),
    "pt": words("fui foi fomos foram era eram estava estive esteve tive teve ontem passado passada fiz fez"),
}
_FUTURE = {
    "de": words("werde wird werden will wollen muss müssen soll sollen möchte kann können treffen"),
    "es": words("voy va vamos van quiero tengo tenemos debo hay será"),
    "fr": words("vais va allons vont dois doit devons veux sera serai faut"),
    "it": words("devo deve dobbiamo voglio vado andiamo sarà ho abbiamo"),
    "pt": words("vou vai vamos vão quero tenho temos devo preciso será há"),
}
_PARTICIPLE = re.compile(r"ge\w{3,}(?:t|en)")
_NO_PARTICIPLES = words(
    "gegen geben gehen gehört gesamt gestalten genießen gemeinsamen gewinnen gefallen gehören gelten genannten gesicht"
)
_PRETERITE = re.compile(r"\w{2,}(?:ó|aron|ieron|(?<!r)é|ré)")
_FUTURE_OF_ES = re.compile(r"\w+(?:ar|er|ir)(?:é|á|emos|án)")
_NO_PRETERITES = words("café bebé porqué qué esté olé")
_AUXILIARIES = words("ai as a avons avez ont suis est sommes êtes sont")
_PARTICIPLE_OF_FR = re.compile(r"\w+(?:é|ée|és|ées)|vu|vus|eu|pris|mis|fait|dit|venu|venue|venus|parti|partis|lu|reçu")

_PARTICIPLE_OF_IT = re.compile(r"\w{2,}(?:ato|ata|ati|ate|ito|ita|iti|uto|uta|uti)|fatto|visto|preso|detto|messo")
_AUXILIARIES_OF_IT = words("ho hai ha abbiamo hanno sono è siamo")
_PRETERITE_OF_PT = re.compile(r"\w{2,}(?:ei|ou|aram|eram|iram)(?<!estou)(?<!vou)(?<!sou)")


def tense_name(speech: Speech, at: int) -> str:
    """ "past", "future" or "" for the word at a place."""
    word, language = speech.said(at), speech.language
    if word in _PAST[language] or _is_past_form(speech, at, word):
        return "past"
    is_future = word in _FUTURE[language] or (language == "es" and bool(_FUTURE_OF_ES.fullmatch(word)))
    return "future" if is_future else ""


def _is_past_form(speech: Speech, at: int, word: str) -> bool:
    if speech.language == "de":
        return bool(_PARTICIPLE.fullmatch(word)) and word not in _NO_PARTICIPLES
    if speech.language == "es":
        is_form = bool(_PRETERITE.fullmatch(word)) and not _FUTURE_OF_ES.fullmatch(word)
        return is_form and word not in _NO_PRETERITES
    if speech.language == "it":
        helpers = {speech.said(at - 1), speech.said(at - 2)}
        return bool(_PARTICIPLE_OF_IT.fullmatch(word)) and bool(helpers & _AUXILIARIES_OF_IT)
    if speech.language == "pt":
        return bool(_PRETERITE_OF_PT.fullmatch(word))
    helpers = {speech.said(at - 1).split("'")[-1], speech.said(at - 2).split("'")[-1]}
    return bool(_PARTICIPLE_OF_FR.fullmatch(word)) and bool(helpers & _AUXILIARIES)
