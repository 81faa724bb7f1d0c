"""API keys: how they look, how they are made, checked, rotated and revoked.

A key is `mst_PREFIX_SECRETCHECK`: the prefix names it in lists and logs, and begins with a hint of the agent's app, by
which a router finds its shard: how many digits its number has, and these (keys of operators begin with 0, those of
0.1.0 with anything). The secret is 256 random bits, the check is a CRC-32 that tells a typing error from a wrong key
without asking the database. The database holds the SHA-512/256 of the whole; a slow password hash would add nothing to
256 random bits but 50 ms a request.
"""

import hashlib
import hmac
import secrets
import string
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memsite.db.lru_cache import Commit
from memsite.db.prepared import Prepared
from memsite.tenancy.models import Agent, ApiKey, Scope
from memsite.tenancy.row_level_security import site_wide

ALPHABET = string.digits + string.ascii_letters
MARK = "mst"
PREFIX_LENGTH, MOST_DIGITS = 8, 4
"""62**4 apps have a hint, and three random letters beside it."""
NO_HINT = "0"
SECRET_LENGTH = 43  # 62**43 > 2**256
CHECK_LENGTH = 6  # 62**6 > 2**32
LIVE_KEYS_PER_AGENT = 2


@dataclass(frozen=True, slots=True)
class NewKey:
    """A stored key and its text, which is shown once and kept nowhere."""

    row: ApiKey
    text: str


with_agents = ApiKey.objects.select_related("agent__app__policy")
keys_of_prefix = Prepared(lambda prefix: with_agents.filter(prefix=prefix))
keys_of_app = Prepared(lambda app_pk, prefix: with_agents.filter(agent__app=app_pk, prefix=prefix))


class TooManyKeys(Exception):
    """The agent already has as many live keys as a rotation needs."""


def create_key(agent: Agent | None, scopes: Iterable[str], *, expires_at: datetime | None = None) -> NewKey:
    app_pk = agent.app_id if agent else None
    digits = base_62(app_pk) if app_pk else ""
    hint = f"{len(digits)}{digits}" if len(digits) <= MOST_DIGITS else NO_HINT
    prefix = hint + random_text(PREFIX_LENGTH - len(hint))
    body = f"{MARK}_{prefix}_{random_text(SECRET_LENGTH)}"
    text = body + checksum(body)
    row = ApiKey.objects.create(
        prefix=prefix,
        key_hash=hash_key(text),
        agent=agent,
        scopes=sorted({Scope(scope).value for scope in scopes}),
        expires_at=expires_at,
    )
    return NewKey(row, text)


def rotate_key(agent: Agent, scopes: Iterable[str], now: datetime, *, expires_at: datetime | None = None) -> NewKey:
    """Create a further key while the old one still works; TooManyKeys if two are live already.

    Call in a transaction.
    """
    # Those of clients that were let in come and go by themselves.
    own = agent.keys.get_queryset().live(now).filter(oauth_grant=None)  # type: ignore[attr-defined]
    if own.count() >= LIVE_KEYS_PER_AGENT:
        raise TooManyKeys
    return create_key(agent, scopes, expires_at=expires_at)


def find_key(text: str, now: datetime, commit: Commit | None = None) -> ApiKey | None:
    """Return the live key of this text with its agent, app and policy, as of this commit; None for others.

    One query at most; two for a key that begins with a hint by chance, as some of 0.1.0 do.
    """
    parts = text.split("_")
    if len(parts) != 3 or parts[0] != MARK or not text.isascii():
        return None
    body, check, prefix = text[:-CHECK_LENGTH], text[-CHECK_LENGTH:], parts[1]
    is_well_formed = len(prefix) == PREFIX_LENGTH and len(parts[2]) == SECRET_LENGTH + CHECK_LENGTH
    if not is_well_formed or not hmac.compare_digest(checksum(body), check):
        return None
    app_pk = app_pk_of(prefix)
    # Whose it is is not certain yet.
    with site_wide():
        row = next(iter(keys_of_app.as_of(commit, app_pk, prefix)), None) if app_pk else None
        row = row or next(iter(keys_of_prefix.as_of(commit, prefix)), None)
    if row is None or not hmac.compare_digest(row.key_hash, hash_key(text)) or not row.is_live(now):
        return None
    return row


def hash_key(text: str) -> str:
    """Hash fast: what is hashed is random, and long enough."""
    return hashlib.new("sha512_256", text.encode()).hexdigest()


def app_pk_of(prefix: str) -> int | None:
    """Return the number of the app that a key's prefix hints at, if it does."""
    count = ALPHABET.find(prefix[0])
    digits = [ALPHABET.find(digit) for digit in prefix[1 : 1 + count]]
    if not 0 < count <= MOST_DIGITS or -1 in digits:
        return None
    value = 0
    for digit in digits:
        value = value * len(ALPHABET) + digit
    return value or None


def checksum(body: str) -> str:
    """Return CRC-32 in base 62, its last digit first."""
    return base_62(zlib.crc32(body.encode())).rjust(CHECK_LENGTH, ALPHABET[0])[::-1]


def base_62(value: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
