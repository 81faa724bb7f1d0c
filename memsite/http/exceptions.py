"""What a request may be refused with, beyond what REST framework knows."""

from http import HTTPStatus

from rest_framework.exceptions import APIException

from memsite.ops.storage_errors import TOLD, Why

BUSY_RETRY_SECONDS = 1
# Longer than programs wait by themselves: somebody has to make room first.
UNWRITABLE_RETRY_SECONDS = 60


class Conflict(APIException):
    status_code = HTTPStatus.CONFLICT
    default_detail = "The request conflicts with what is stored."
    default_code = "conflict"


class PreconditionFailed(APIException):
    status_code = HTTPStatus.PRECONDITION_FAILED
    default_detail = "Someone else changed this in the meantime: read it again."
    default_code = "precondition_failed"


class Gone(APIException):
    status_code = HTTPStatus.GONE
    default_detail = "The answer to this Idempotency-Key has been deleted since: use a new key."
    default_code = "gone"


class BeyondTheFeed(APIException):
    """A mirror asks for what comes after a change that there was none of: it knows more than the app does."""

    status_code = HTTPStatus.GONE
    default_detail = "This change number is unknown, as after a restore: start again with a full read."
    default_code = "since_gone"


class Unprocessable(APIException):
    status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    default_detail = "The request cannot be carried out as it stands."
    default_code = "unprocessable"


class TooLarge(APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The body is larger than this server takes."
    default_code = "too_large"


class Busy(APIException):
    """The write lock or a connection could not be had in time."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_detail = "The server is busy: nothing was stored, try again."
    default_code = "busy"
    wait = BUSY_RETRY_SECONDS


class MayBeStored(APIException):
    """The connection broke off at the commit. No 503: that one may be sent again without a thought."""

    status_code = HTTPStatus.INTERNAL_SERVER_ERROR
    default_detail = (
        "The connection to the database broke off while this was stored: it is stored as a whole, or not at all. Look "
        "before you send it again."
    )
    default_code = "may_be_stored"


class Unwritable(APIException):
    """Nothing can be written: the disk is full (507), or the database is read-only, or its disk fails (503)."""

    wait = UNWRITABLE_RETRY_SECONDS

    def __init__(self, why: Why) -> None:
        super().__init__(TOLD[why], why.value)
        self.status_code = HTTPStatus.INSUFFICIENT_STORAGE if why == Why.FULL else HTTPStatus.SERVICE_UNAVAILABLE


class EncodedBody(APIException):
    """Nothing is unpacked but a file: a body that says it is packed would be read as what it is not."""

    status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    default_detail = "Send the body as it is, without a Content-Encoding."
    default_code = "content_encoding"


class LengthRequired(APIException):
    status_code = HTTPStatus.LENGTH_REQUIRED
    default_detail = "Send the body with a Content-Length: only streams go without."
    default_code = "length_required"
