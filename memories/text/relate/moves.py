"""Who moved to another city does not live where it was said before, however little the two sentences have in common."""

import re

from .siblings import SIBLINGS

_AT_PRESENT = r"(?:(?:still|now|currently) )?"
_LIVES = re.compile(
    rf"(?P<who>\S.{{0,60}}?) {_AT_PRESENT}(?:lives?|resides?|(?:is|are) {_AT_PRESENT}(?:living|based)) in "
    r"(?P<where>\S.*)"
)
_MOVED = re.compile(
    r"(?:In \w+,? )?(?P<who>\S.{0,60}?) (?:(?:has|have) )?(?:(?:just|recently|finally) )?(?:moved|relocated) "
    r"(?:(?:back|over|from [\w'’-]{1,30}(?: [\w'’-]{1,30})?) )?to (?P<where>\S.*)"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_BEHIND_ONE = re.compile(
    r"[,]? (?:[A-Z]|(?:office|team|branch|time|timezone|region|site|store|plant|campus|server|cluster|data|zone)\b)"
)
"""What makes a city's name that of something else: "moved to London Business School", "to the Berlin office"."""
_AT_TIMES = re.compile(
    r" (?:during|half|part|partly|in (?:the )?(?:winter|summer|spring|autumn)|on (?:weekdays|weekends))\b"
)
MOST_WORDS = 3
_MORE = """
    aachen, aberdeen, abu dhabi, adelaide, albuquerque, alicante, amman, ankara, auckland, augsburg, baltimore, bari,
    beirut, belfast, bilbao, birmingham, bochum, bogota, bonn, brasilia, bratislava, brisbane, brno, brussels,
    buenos aires, calgary, canberra, cape town, cardiff, charlotte, chemnitz, chengdu, chennai, christchurch,
    cincinnati, cleveland, cluj, coimbra, columbus, darmstadt, dortmund, duisburg, dundee, durham, dusseldorf,
    düsseldorf, edmonton, eindhoven, erfurt, essen, fresno, freiburg, gdansk, göttingen, graz, groningen, guadalajara,
    haifa, halifax, halle, hanoi, heidelberg, hong kong, indianapolis, innsbruck, jakarta, jerusalem, johannesburg,
    kansas city, karlsruhe, kassel, kiel, klagenfurt, köln, kuala lumpur, lausanne, las vegas, leiden, leicester, lima,
    linz, ljubljana, los angeles, lucerne, lund, luxembourg, maastricht, madison, mainz, malaga, málaga, malmo, malmö,
    manila, mannheim, medellin, memphis, mexico city, milwaukee, minneapolis, minsk, monterrey, montevideo, munster,
    münchen, münster, nashville, newcastle, new delhi, new orleans, new york, new york city, nottingham, nuremberg,
    nürnberg, odense, oklahoma city, orlando, ottawa, palermo, passau, perth, pittsburgh, plymouth, porto alegre,
    portland, potsdam, poznan, quebec city, raleigh, recife, regensburg, rennes, reykjavik, rio de janeiro, rostock,
    sacramento, salt lake city, san antonio, san diego, san francisco, san jose, santiago, sao paulo, são paulo,
    sarajevo, sheffield, shenzhen, skopje, southampton, st gallen, strasbourg, taipei, tampa, tampere, tbilisi,
    tel aviv, the hague, thessaloniki, toledo, trento, trier, tucson, tunis, turku, ulm, uppsala, villach, wellington,
    winnipeg, winterthur, wroclaw, wuppertal, würzburg, yerevan, zaragoza, zürich
"""
CITIES = frozenset(SIBLINGS["city"].split()) | {" ".join(name.split()) for name in _MORE.split(",")}


def find_move(existing: str, new: str) -> tuple[str, str] | None:
    """Return the two cities, where somebody lives in the one and has moved to the other, or lives there."""
    lived, moved = _LIVES.match(existing), _MOVED.match(new) or _LIVES.match(new)
    if not lived or not moved or lived["who"].casefold() != moved["who"].casefold():
        return None
    if moved.re is _LIVES and any(_AT_TIMES.search(one["where"]) for one in (lived, moved)):
        return None
    left, right = _city_in(lived["where"]), _city_in(moved["where"])
    return (left, right) if left and right and left != right else None


def _city_in(text: str) -> str:
    """The city that a text begins with; empty if it is not known for one."""
    told = list(_WORD.finditer(text[:80]))[:MOST_WORDS]
    for count in range(len(told), 0, -1):
        name = text[: told[count - 1].end()]
        if name.lower() in CITIES and name[0].isupper():
            return "" if _BEHIND_ONE.match(text, len(name)) else name.lower()
    return ""
