"""Ask an OpenID provider who somebody is (OpenID Connect Core 1.0, the code flow with PKCE), and whose account that is.

Accounts are found by issuer and subject, with what their groups give.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

import httpx
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from memories.providers.http import (
    PROVIDER_NETWORKS,
    Refused,
    ServiceAway,
    ServiceRefused,
    Within,
    certificates,
    checked_url,
    has_proxy,
    parse_json,
    read_bounded,
)
from memsite.config.conf import EVERY_APP, ROLES, get_conf, read_roles
from memsite.tenancy.access import actor_of
from memsite.tenancy.audit import note, note_change
from memsite.tenancy.governance import set_member
from memsite.tenancy.models import App, Identity, Membership, Role

WELL_KNOWN = "/.well-known/openid-configuration"
SECONDS, CONNECT_SECONDS = 10.0, 4.0
"""Of one request to the provider."""
MOST_BYTES = 1024 * 1024
METADATA_SECONDS = 600
LEEWAY_SECONDS = 60
MOST_GROUPS = 2_000
# What is signed with a secret, or not at all, proves nothing to others.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"]
KEY_TYPES = ("RSA", "EC", "OKP")
AT_ONCE = 4
conversations = BoundedSemaphore(AT_ONCE)
"""A provider that does not answer keeps so many of the server's threads waiting, and no more."""


class ProviderAway(Exception):
    """The provider does not answer, or not as it should. The text is for the person who signs in, and the log."""


class NotBelieved(Exception):
    """What came back does not prove who somebody is."""


class ProviderBackend(ModelBackend):
    """Marks sessions that the provider opened: they end where the setting goes. Takes no password."""

    def authenticate(self, request: Any, username: Any = None, password: Any = None, **_: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in under way, kept in the browser's session. `connects` is the account to be connected, 0 for none."""

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    next_page: str = ""
    connects: int = 0
    started: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Proof:
    """What the provider has proved: claims of the ID token, and of its user info where that has more."""

    claims: Mapping[str, Any]
    id_token: str = field(repr=False)

    @property
    def subject(self) -> str:
        return str(self.claims["sub"])

    def text(self, name: str) -> str:
        value = self.claims.get(name)
        return value if isinstance(value, str) else ""

    def groups(self, path: str) -> set[str]:
        """Return the names at a claim such as `groups`, or within one: `realm_access.roles`."""
        answer = find_claim(self.claims, path)
        names = [answer] if isinstance(answer, str) else answer if isinstance(answer, list) else []
        return {name for name in names[:MOST_GROUPS] if isinstance(name, str)}


def find_claim(claims: Mapping[str, Any], path: str) -> Any:
    """Return the claim of this whole name (some are addresses), else the one at the end of the path; None if absent."""
    if path in claims:
        return claims[path]
    answer: Any = claims
    for part in path.split("."):
        answer = answer.get(part) if isinstance(answer, Mapping) else None
    return answer


def host_of_provider() -> str:
    """Return the host of the issuer, to name it on pages; empty where there is no provider."""
    return urlsplit(get_conf().oidc_issuer).netloc


def authorization_address(attempt: Attempt, redirect_uri: str) -> str:
    """Return where the browser goes to. One request to the provider every ten minutes; ProviderAway."""
    conf = get_conf()
    query = {
        "response_type": "code",
        "client_id": conf.oidc_client_id,
        "redirect_uri": redirect_uri,
        "scope": " ".join(conf.oidc_scopes),
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": create_s256_code_challenge(attempt.verifier),
        "code_challenge_method": "S256",
    }
    return with_query(endpoint("authorization_endpoint"), query)


def logout_address(id_token: str, redirect_uri: str) -> str:
    """Return where the browser goes to sign out there, too; empty if the provider has no such page, or is away."""
    query = {"post_logout_redirect_uri": redirect_uri, "client_id": get_conf().oidc_client_id}
    try:
        where = endpoint("end_session_endpoint")
    except ProviderAway:
        return ""
    return with_query(where, query | ({"id_token_hint": id_token} if id_token else {}))


def redeem(code: str, attempt: Attempt, redirect_uri: str) -> Proof:
    """Return who signed in. Two or three requests to the provider; ProviderAway, NotBelieved."""
    conf = get_conf()
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": attempt.verifier,
        "client_id": conf.oidc_client_id,
    }
    methods = metadata().get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    auth = None
    if conf.oidc_client_secret and "client_secret_basic" in methods:
        auth = httpx.BasicAuth(quote(conf.oidc_client_id, safe=""), quote(conf.oidc_client_secret, safe=""))
    elif conf.oidc_client_secret:
        form["client_secret"] = conf.oidc_client_secret
    answer = ask(endpoint("token_endpoint"), form=form, auth=auth)
    id_token, access_token = answer.get("id_token"), answer.get("access_token")
    if not isinstance(id_token, str):
        raise NotBelieved("the provider gave no ID token: MEMSITE_OIDC_SCOPES needs openid")
    claims = check_id_token(id_token, attempt.nonce, access_token)
    if isinstance(access_token, str) and find_claim(claims, conf.oidc_groups_claim) is None:
        claims = with_user_info(claims, access_token)
    return Proof(claims, id_token)


def check_id_token(id_token: str, nonce: str, access_token: Any) -> Mapping[str, Any]:
    """Return its claims: signature, issuer, audience, times, nonce and the access token's hash are right."""
    conf = get_conf()
    published: Any = ask(endpoint("jwks_uri")).get("keys")
    try:
        keys: Any = [key for key in published if key["kty"] in KEY_TYPES and key.get("use") != "enc"]
        registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        token = jwt.decode(id_token, KeySet.import_key_set({"keys": keys}), registry=registry)
        expected = {
            "iss": {"essential": True, "value": conf.oidc_issuer},
            "aud": {"essential": True, "value": conf.oidc_client_id},
            "sub": {"essential": True},
        }
        params = {"nonce": nonce, "client_id": conf.oidc_client_id, "access_token": access_token}
        claims = CodeIDToken(token.claims, token.header, expected, params)
        claims.validate(leeway=LEEWAY_SECONDS)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
        # Its own words may quote the token.
        raise NotBelieved(f"its ID token is not valid ({type(error).__name__}{claim_in(error)})") from error
    if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
        raise NotBelieved("its ID token names nobody")
    return dict(claims)


def claim_in(error: Exception) -> str:
    return f": {error.claim}" if hasattr(error, "claim") else ""


def with_user_info(claims: Mapping[str, Any], access_token: str) -> Mapping[str, Any]:
    """Return the claims with those of the user info, where many providers leave the groups. It replaces none."""
    if "userinfo_endpoint" not in metadata():
        return claims
    more = ask(endpoint("userinfo_endpoint"), headers={"Authorization": f"Bearer {access_token}"})
    if more.get("sub") != claims["sub"]:
        raise NotBelieved("its user info is somebody else's")
    return {**more, **claims}


# --- talking to it


def metadata() -> dict[str, Any]:
    """Return what the provider says of itself (OpenID Connect Discovery 1.0)."""
    return read_metadata(get_conf().oidc_issuer, int(monotonic() // METADATA_SECONDS))


@lru_cache(maxsize=2)
def read_metadata(issuer: str, period: int) -> dict[str, Any]:
    answer = ask(issuer.rstrip("/") + WELL_KNOWN)
    if answer.get("issuer") != issuer:
        raise ProviderAway(f"it calls itself {str(answer.get('issuer'))[:200]!r}, and MEMSITE_OIDC_ISSUER otherwise")
    return answer


def endpoint(name: str) -> str:
    """Return one of its addresses. Over HTTPS, if the issuer is."""
    address = metadata().get(name)
    if not isinstance(address, str) or not address.startswith(("https://", "http://")):
        raise ProviderAway(f"it names no {name}")
    if get_conf().oidc_issuer.startswith("https://") and not address.startswith("https://"):
        raise ProviderAway(f"its {name} is not HTTPS")
    return address


def with_query(address: str, query: Mapping[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def ask(
    address: str,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    auth: httpx.Auth | None = None,
) -> dict[str, Any]:
    """Return the object it answers, within bounded time and bytes. Redirects are not followed."""
    deadline = monotonic() + SECONDS
    method = "GET" if form is None else "POST"
    try:
        with one_of_few(), client_for(address) as client:
            answering = client.stream(method, address, data=form, headers=headers, auth=auth)
            with answering as response:
                body = read_bounded(response, deadline, MOST_BYTES)
                status = response.status_code
        answer = parse_json(body) if body else {}
    except (httpx.HTTPError, ServiceAway, ServiceRefused) as error:
        raise ProviderAway(f"{urlsplit(address).netloc} does not answer ({why(error)})") from None
    if status >= 500 or status == 429:
        raise ProviderAway(f"{urlsplit(address).netloc} answered {status}")
    if not isinstance(answer, dict):
        raise ProviderAway(f"{urlsplit(address).netloc} answered something else than an object")
    if status != 200:
        code = answer.get("error")
        raise NotBelieved(f"the provider refused ({status} {code[:100] if isinstance(code, str) else ''})")
    return answer


def why(error: Exception) -> str:
    """Return no address that httpx quotes, but our own words."""
    return str(error) if isinstance(error, Refused | ServiceAway | ServiceRefused) else type(error).__name__


@contextmanager
def one_of_few() -> Iterator[None]:
    if not conversations.acquire(blocking=False):
        raise ServiceAway("others are waiting for it, too")
    try:
        yield
    finally:
        conversations.release()


def client_for(address: str) -> httpx.Client:
    through_proxy = has_proxy(checked_url(address))
    return httpx.Client(
        # What is packed could grow beyond any bound while it is unpacked: it is read as it comes.
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        timeout=httpx.Timeout(SECONDS, connect=CONNECT_SECONDS),
        verify=certificates(),
        follow_redirects=False,
        trust_env=through_proxy,
        transport=None if through_proxy else Within(get_conf().provider_networks, PROVIDER_NETWORKS),
    )


NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")
LONGEST_NAME = 140
FLAGS = ("is_superuser", "is_staff")


class NotLetIn(Exception):
    """The provider knows this person; this site does not let them in. The text says why, and what to do."""


class IdentityTaken(Exception):
    """Another account is connected with it."""


@dataclass(frozen=True, slots=True)
class Grants:
    """What somebody's groups give: `roles` by the id of an app, `everywhere` in all the others."""

    is_superuser: bool = False
    is_staff: bool = False
    everywhere: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def are_none(self) -> bool:
        return not (self.is_superuser or self.is_staff or self.everywhere or self.roles)


def find_person(proof: Proof) -> User:
    """Return the account of whoever signed in, with the rights that their groups give today. Raises NotLetIn.

    Who was let in and is no longer loses those rights before the refusal.
    """
    conf = get_conf()
    if conf.oidc_verified_email and proof.claims.get("email_verified") is not True:
        raise NotLetIn("The provider has not verified your e-mail address. Verify it there, then sign in again.")
    # Of several roles in an app the one with the most rights.
    groups = proof.groups(conf.oidc_groups_claim)
    roles: dict[str, str] = {}
    for group, app_id, role in read_roles(conf.oidc_roles) or []:
        if group in groups:
            roles[app_id] = max(roles.get(app_id, role), role, key=ROLES.index)
    is_superuser = not groups.isdisjoint(conf.oidc_superusers)
    is_staff = is_superuser or not groups.isdisjoint(conf.oidc_staff)
    grants = Grants(is_superuser, is_staff, roles.pop(EVERY_APP, ""), roles)
    try:
        identity = admit(proof, grants)
    except (IntegrityError, IdentityTaken):
        # The same person, in another tab, was a moment faster.
        identity = admit(proof, grants)
    if identity is None:
        raise NotLetIn("None of your groups at the provider is let in here. Ask whoever looks after this site.")
    user = identity.user
    if not user.is_active:
        raise NotLetIn("Your account is switched off here. Ask whoever looks after this site.")
    if not (user.is_superuser or user.is_staff or Membership.objects.filter(user=user).exists()):
        note(actor_of(user), None, "sign-in refused", user.get_username(), after={"reason": "no group lets in"})
        raise NotLetIn(
            "None of your groups at the provider is let in here any more. Ask whoever looks after this site."
        )
    return user


def admit(proof: Proof, grants: Grants) -> Identity | None:
    with transaction.atomic():
        identity = known(proof) or (None if grants.are_none else create_account(proof))
        if identity and identity.user.is_active:
            give(identity, grants)
    return identity


def known(proof: Proof) -> Identity | None:
    """Return the identity, locked until the transaction ends."""
    rows = Identity.objects.select_related("user").select_for_update(of=("self",))
    return rows.filter(issuer=get_conf().oidc_issuer, subject=proof.subject).first()


def create_account(proof: Proof) -> Identity:
    """Make an account without a password. An address of e-mail finds no account that is there: anybody may claim it."""
    user = User(username=free_name(proof), first_name=proof.text("given_name")[:150])
    user.last_name = proof.text("family_name")[:150]
    user.email = proof.text("email")[:254] if proof.claims.get("email_verified") is True else ""
    user.set_unusable_password()
    user.save()
    return connect(user, proof, "account created")


def connect(user: User, proof: Proof, action: str = "account connected") -> Identity:
    """Let this account sign in as that person. Raises IdentityTaken."""
    whose = {"issuer": get_conf().oidc_issuer, "subject": proof.subject}
    with transaction.atomic():
        identity, is_new = Identity.objects.get_or_create(**whose, defaults={"user": user})
        if identity.user_id != user.pk:
            raise IdentityTaken
        if is_new:
            note(actor_of(user), None, action, user.get_username(), after=whose)
    return identity


def free_name(proof: Proof) -> str:
    """Return the name at the provider, with a number behind it where somebody else has it."""
    wanted = proof.text("preferred_username") or proof.text("email") or proof.subject
    name = User.normalize_username(NOT_IN_NAMES.sub("-", wanted).strip("-")[:LONGEST_NAME]) or "person"
    taken = set(User.objects.filter(username__istartswith=name).values_list("username", flat=True))
    taken = {username.lower() for username in taken}
    numbers = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(candidate for candidate in (name, *numbers) if candidate.lower() not in taken)


def give(identity: Identity, grants: Grants) -> None:
    """Give what the groups give today, and take what they gave before and give no more.

    What somebody was given by hand stays. The last owner of an app goes, too: the provider has the last word.
    """
    user, given = identity.user, identity.given
    flags = {flag: getattr(grants, flag) or (getattr(user, flag) and not given.get(flag, False)) for flag in FLAGS}
    before = {flag: getattr(user, flag) for flag in FLAGS}
    if flags != before:
        User.objects.filter(pk=user.pk).update(**flags)
        vars(user).update(flags)
        note_change(actor_of(user), None, "user changed", user.get_username(), before, flags)
    roles = give_roles(user, grants, given.get("roles", {}))
    identity.given = {**{flag: getattr(grants, flag) for flag in FLAGS}, "roles": roles}
    identity.save(update_fields=["given"])


def give_roles(user: User, grants: Grants, before: Mapping[str, Any]) -> dict[str, str]:
    """Return the roles by app as the groups give them. A change is one line of the app's audit log."""
    apps = App.objects.all() if grants.everywhere else App.objects.filter(app_id__in={*grants.roles, *before})
    current = {row.app_id: row.role for row in Membership.objects.filter(user=user)}
    given = {}
    for app in apps:
        role = max(grants.roles.get(app.app_id, ""), grants.everywhere, key=rank)
        if role:
            given[app.app_id] = role
        wanted = role or (None if app.app_id in before else current.get(app.pk))
        if wanted != current.get(app.pk):
            set_member(app, user, Role(wanted) if wanted else None, actor_of(user), needs_owner=False)
    return given


def rank(role: str) -> int:
    return ROLES.index(role) if role in ROLES else -1
