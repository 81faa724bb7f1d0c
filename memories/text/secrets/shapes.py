"""Keys that are known by their shape alone, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.secrets.found import Found
from memories.text.secrets.values import looks_random

MIN_DISTINCT_CHARS = 5
"""With fewer, "ghp_xxxxxxxx…" shows how a key looks."""

_W = r"[0-9A-Za-z]"
_D = r"[0-9A-Za-z_-]"
_SHAPES: tuple[tuple[str, str], ...] = (
    ("memsite key", rf"mst_{_W}{{8}}_{_W}{{20,64}}"),
    ("aws key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"),
    ("github token", rf"gh[pousr]_{_W}{{30,255}}|github_pat_[0-9A-Za-z_]{{30,255}}"),
    ("gitlab token", rf"gl(?:pat|dt|rt|ft|soat|ptt|cbt|agent)-{_D}{{20,100}}"),
    ("slack token", rf"xox[abeoprs]-{_D}{{10,255}}|xapp-\d-{_D}{{10,255}}"),
    ("slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/]{20,100}"),
    ("stripe key", rf"(?:sk|rk)_(?:live|test)_{_W}{{10,255}}|whsec_[0-9A-Za-z+/=]{{24,100}}"),
    ("anthropic key", rf"sk-ant-{_D}{{16,255}}"),
    ("openai key", rf"sk-(?:proj|svcacct|admin|or-v\d)-{_D}{{16,255}}|sk-{_W}{{20,255}}"),
    ("google key", rf"AIza{_D}{{30,40}}|GOCSPX-{_D}{{20,40}}|ya29\.{_D}{{20,255}}"),
    ("npm token", rf"npm_{_W}{{30,64}}"),
    ("pypi token", rf"pypi-{_D}{{32,255}}"),
    ("sendgrid key", rf"SG\.{_D}{{16,64}}\.{_D}{{16,64}}"),
    ("twilio key", r"SK[0-9a-f]{32}"),
    ("telegram token", rf"\d{{8,10}}:{_D}{{35}}"),
    ("hugging face token", rf"hf_{_W}{{30,64}}"),
    (
        "jwt",
        rf"eyJ{_D}{{10,4096}}\.eyJ{_D}{{6,16384}}(?:\.{_D}{{0,4096}})?|eyJ{_D}{{10,4096}}(?:\.{_D}{{0,4096}}){{4}}",
    ),
    (
        "vendor key",
        rf"dop_v1_[0-9a-f]{{40,80}}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|dapi[0-9a-f]{{32}}|lin_api_{_W}{{32,64}}"
        rf"|glsa_[0-9A-Za-z_]{{32,64}}|hv[sbr]\.{_D}{{24,255}}|ATATT3{_D}{{24,255}}|tskey-[a-z]+-{_D}{{16,100}}"
        rf"|AGE-SECRET-KEY-1[0-9A-Z]{{50,64}}|gsk_{_W}{{32,100}}|pplx-{_W}{{32,100}}|xai-{_W}{{32,120}}"
        rf"|r8_{_W}{{32,64}}|ntn_{_W}{{32,64}}|dckr_(?:pat|oat)_{_D}{{20,64}}|NRAK-[0-9A-Z]{{20,40}}"
        rf"|sntry[su]_{_D}{{32,255}}|sq0[a-z]{{3}}-{_D}{{20,64}}|key-[0-9a-f]{{32}}",
    ),
)
_ANY = re.compile(
    r"(?<![0-9A-Za-z_-])(?:" + "|".join(rf"(?P<k{i}>{shape})" for i, (_, shape) in enumerate(_SHAPES)) + rf")(?!{_W})"
)
_KIND_OF = {f"k{i}": kind for i, (kind, _) in enumerate(_SHAPES)}
_WHOLE = frozenset(("slack webhook", "jwt"))


def find_shapes(text: str) -> Iterator[Found]:
    """Every shape is bounded, so the search is linear."""
    for match in _ANY.finditer(text):
        kind = _KIND_OF[match.lastgroup or ""]
        if kind in _WHOLE or (len(set(match.group()[4:])) >= MIN_DISTINCT_CHARS and looks_random(match.group()[3:])):
            yield Found(match.start(), match.end(), kind)
