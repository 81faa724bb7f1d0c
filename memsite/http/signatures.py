"""Signed messages, as Standard Webhooks has them: HMAC-SHA256 over id, time and body, in both directions.

Secrets are stored nowhere: each follows from the site's secret key, the row that it is of, and how often it was
renewed.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
PREFIX, VERSION = "whsec_", "v1"
WINDOW = timedelta(minutes=5)
ID_CHARACTERS = 200


class BadSignature(Exception):
    """It is not from whom it says, or it is too old."""


def secret_of(uid: UUID, number: int) -> str:
    """Return the secret of a row after `number` renewals."""
    message = f"memsite webhook {uid} {number}".encode()
    return PREFIX + b64encode(hmac.new(settings.SECRET_KEY.encode(), message, hashlib.sha256).digest()).decode()


def headers_for(message_id: str, body: bytes, secrets: list[str], now: datetime) -> dict[str, str]:
    """Return one signature for each secret: while one is renewed, both count."""
    timestamp = str(int(now.timestamp()))
    signed = " ".join(sign(secret, message_id, timestamp, body) for secret in secrets)
    return {ID: message_id, TIMESTAMP: timestamp, SIGNATURE: signed}


def sign(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    key = b64decode(secret.removeprefix(PREFIX))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"{VERSION},{b64encode(digest).decode()}"


def verify(headers: Mapping[str, str], body: bytes, secret: str, now: datetime) -> str:
    """Return the message's id. Raises BadSignature."""
    message_id, timestamp, given = (headers.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if (
        not 0 < len(message_id) <= ID_CHARACTERS
        or not timestamp.isascii()
        or not timestamp.isdigit()
        or len(timestamp) > 12
    ):
        raise BadSignature
    if abs(now.timestamp() - int(timestamp)) > WINDOW.total_seconds():
        raise BadSignature
    try:
        expected = sign(secret, message_id, timestamp, body)
    except (NotBase64, ValueError) as error:
        raise BadSignature from error
    if not any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in given.split(" ")[:10]):
        raise BadSignature
    return message_id
