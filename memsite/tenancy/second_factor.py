"""The second factor of a local account: a code of an authenticator (TOTP), or one of the recovery codes."""

from __future__ import annotations

import secrets
import time
from base64 import b32decode, b32encode
from hashlib import sha256
from typing import Any

from django.db import transaction
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from memsite.tenancy.audit import note

RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""80 random bits, 16 letters: a fast hash hides them."""
STORED_CHARACTERS = 16
NAME = "authenticator"
DIGITS = 6


def has_factor(user: Any) -> bool:
    return bool(TOTPDevice.objects.devices_for_user(user, confirmed=True).exists())


def codes_left(user: Any) -> int:
    return int(StaticToken.objects.filter(device__user=user).count())


def new_key() -> str:
    """Return a secret as authenticators take it, in base 32."""
    return b32encode(secrets.token_bytes(20)).decode()


def address_of(user: Any, key: str) -> str:
    """Return the otpauth address that a QR code holds."""
    return str(TOTPDevice(user=user, key=b32decode(key).hex()).config_url)


def turn_on(user: Any, key: str, code: str, actor: str) -> list[str]:
    """Return recovery codes where `code` is one of this key now; else none, and nothing has changed."""
    raw = b32decode(key)
    totp = TOTP(raw, digits=DIGITS)
    totp.time = time.time()
    if not code.isdecimal() or not totp.verify(int(code), tolerance=1):
        return []
    with transaction.atomic():
        remove_devices(user)
        # The code that confirms it signs nobody in.
        TOTPDevice.objects.create(user=user, name=NAME, key=raw.hex(), last_t=totp.t(), drift=totp.drift)
        codes = make_codes(user)
        note(actor, None, "second factor on", user.get_username())
    return codes


def renew_codes(user: Any, actor: str) -> list[str]:
    """Return new recovery codes; those before are gone."""
    with transaction.atomic():
        codes = make_codes(user)
        note(actor, None, "recovery codes renewed", user.get_username())
    return codes


def make_codes(user: Any) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes")
    codes = [b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=stored(code)) for code in codes)
    return ["-".join(code[start : start + 4] for start in range(0, len(code), 4)) for code in codes]


def stored(code: str) -> str:
    """Return what is kept of a recovery code: the beginning of its hash."""
    plain = "".join(character for character in code.lower() if character.isalnum())
    return b32encode(sha256(plain.encode()).digest()).decode()[:STORED_CHARACTERS]


def accepts(user: Any, code: str) -> bool:
    """Return whether this code is right, and use it up. After a wrong one even a right one is refused for a while."""
    plain = code.replace(" ", "")
    is_totp = plain.isdecimal() and len(plain) == DIGITS
    model, given = (TOTPDevice, plain) if is_totp else (StaticDevice, stored(code))
    with transaction.atomic():
        devices = model.objects.devices_for_user(user, confirmed=True).select_for_update()
        return any(device.verify_token(given) for device in devices)


def turn_off(user: Any, actor: str, action: str = "second factor off") -> bool:
    """Take the second factor away; False if there was none."""
    with transaction.atomic():
        was_there = remove_devices(user)
        if was_there:
            note(actor, None, action, user.get_username())
    return was_there


def remove_devices(user: Any) -> bool:
    gone = [model.objects.filter(user=user).delete()[0] for model in (TOTPDevice, StaticDevice)]
    return any(gone)
