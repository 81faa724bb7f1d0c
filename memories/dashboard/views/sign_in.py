"""Signing in and out: passwords, the second factor, the organisation's OpenID provider; and one's own account."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import segno
import structlog
from axes.handlers.proxy import AxesProxyHandler
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.generic import FormView

from memsite.config.conf import get_conf
from memsite.http.login import FACTOR, needs_factor
from memsite.http.problems import error_view
from memsite.oauth import openid
from memsite.oauth.openid import IdentityTaken, NotLetIn, connect, find_person
from memsite.tenancy import second_factor
from memsite.tenancy.access import actor_of
from memsite.tenancy.audit import note
from memsite.tenancy.models import Identity

WAITING, ATTEMPTS, ID_TOKEN, NEW_KEY = "memsite_waiting", "memsite_attempts", "memsite_id_token", "memsite_new_key"
"""Keys in the session: whose password was right and who still needs a code; sign-ins under way at the provider."""
STEP_SECONDS = 600
MOST_ATTEMPTS = 5
LOCAL = "django.contrib.auth.backends.ModelBackend"
PROVIDER = "memsite.oauth.openid.ProviderBackend"
WAY_OUT = (
    "Whoever has a shell on the server can set MEMSITE_LOCAL_LOGIN=true and restart it: then names and passwords of "
    "local accounts work again."
)
WRONG_CODE = "This code is wrong, was used already, or came too soon after a wrong one. Wait for the next one."
log = structlog.get_logger("memories.dashboard.sign_in")


class SignInForm(AuthenticationForm):
    username = UsernameField(label="Name", widget=forms.TextInput(attrs={"autofocus": True}))
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The name or the password is wrong.",
    }


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=40,
        label="Code",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "text", "autofocus": True}),
        help_text="Six digits from your authenticator, or one of your recovery codes.",
    )


class SetUpForm(forms.Form):
    """`password` is asked of who is signed in already: a browser left open is not enough."""

    password = forms.CharField(
        label="Your password", widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    code = forms.CharField(
        max_length=12,
        label="Code that it shows now",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )


class SignIn(LoginView):
    """By name and password, where the site has them; the second factor is asked for on the next page."""

    template_name = "dashboard/login.html"
    authentication_form = SignInForm

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        conf = get_conf()
        own = {"provider": openid.host_of_provider(), "local_login": conf.local_login, "way_out": WAY_OUT}
        return super().get_context_data(**context, **own)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not get_conf().local_login:
            return error_view(request, 403, f"Passwords are switched off on this site. {WAY_OUT}")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user: Any = form.get_user()
        has_factor = second_factor.has_factor(user)
        if not has_factor and not needs_factor(user):
            return super().form_valid(form)
        self.request.session.cycle_key()
        self.request.session[WAITING] = {
            "user": user.pk,
            "hash": user.get_session_auth_hash(),
            "since": timezone.now().timestamp(),
            "next": self.get_success_url(),
        }
        return redirect("login-code" if has_factor else "account-factor")


def waiting_user(request: HttpRequest) -> User | None:
    """Return whose password was right a few minutes ago, and who is to give a code."""
    stored = request.session.get(WAITING)
    if not stored or not 0 <= timezone.now().timestamp() - stored["since"] < STEP_SECONDS or not get_conf().local_login:
        return None
    user = User.objects.filter(pk=stored["user"], is_active=True).first()
    return user if user and constant_time_compare(stored["hash"], user.get_session_auth_hash()) else None


def open_session_of(request: HttpRequest, user: User) -> HttpResponse:
    """Sign in who gave a password and a code. The page they wanted is known to be on this site."""
    goes_to = request.session.pop(WAITING)["next"]
    login(request, user, backend=LOCAL)
    request.session[FACTOR] = "code"
    return HttpResponseRedirect(goes_to)


def is_locked_out(request: HttpRequest, user: User) -> bool:
    return not AxesProxyHandler.is_allowed(request, {"username": user.get_username()})


def count_failure(request: HttpRequest, user: User) -> None:
    """Count a wrong code like a wrong password: five of either, and one waits."""
    user_login_failed.send(__name__, credentials={"username": user.get_username()}, request=request)


@method_decorator(never_cache, name="dispatch")
class SecondStep(FormView):  # type: ignore[type-arg]  # the class of Django itself has no type arguments
    template_name = "dashboard/second_step.html"
    form_class = CodeForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = waiting_user(request)
        if user is None:
            return redirect("login")
        self.user = user
        return locked_out(request) if is_locked_out(request, user) else super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: CodeForm) -> HttpResponse:
        if second_factor.accepts(self.user, form.cleaned_data["code"]):
            return open_session_of(self.request, self.user)
        count_failure(self.request, self.user)
        form.add_error("code", WRONG_CODE)
        return self.form_invalid(form)


class SignOut(LogoutView):
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out here, then at the provider: by a page that leads there, as a form may not (`form-action`)."""
        id_token = request.session.get(ID_TOKEN)
        if id_token is None or not get_conf().oidc_issuer:
            return super().post(request, *args, **kwargs)
        logout(request)
        there = openid.logout_address(id_token, request.build_absolute_uri(reverse("login")))
        if not there:
            return redirect("login")
        return render(request, "dashboard/signed_out.html", {"there": there, "provider": openid.host_of_provider()})


@method_decorator(never_cache, name="dispatch")
class ChangePassword(PasswordChangeView):
    template_name = "dashboard/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        note(actor_of(self.request.user), None, "password changed", self.request.user.get_username())
        messages.success(self.request, "Your password is changed. Other browsers are signed out.")
        return answer


def locked_out(request: HttpRequest, response: Any = None, credentials: Any = None) -> HttpResponse:
    """Answer after too many wrong passwords or codes, in the place of django-axes."""
    minutes = settings.AXES_COOLOFF_TIME // timedelta(minutes=1)
    answer = render(request, "dashboard/locked_out.html", {"minutes": minutes}, status=429)
    answer["Retry-After"] = str(60 * minutes)
    return answer


# --- the organisation's provider


@require_GET
@never_cache
def to_provider(request: HttpRequest) -> HttpResponse:
    """Begin to sign in at the provider."""
    if not get_conf().oidc_issuer:
        raise Http404
    goes_to = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(goes_to, {request.get_host()}, request.is_secure())
    return begin(request, goes_to if is_ours else "")


def begin(request: HttpRequest, next_page: str = "", connects: int = 0) -> HttpResponse:
    """Send the browser to the provider, and keep what its answer is to be compared with."""
    attempt = openid.Attempt(next_page=next_page, connects=connects, started=timezone.now().timestamp())
    try:
        there = openid.authorization_address(attempt, own_address(request))
    except (openid.ProviderAway, openid.NotBelieved) as error:
        return provider_failed(request, error)
    stored = request.session.get(ATTEMPTS, [])
    request.session[ATTEMPTS] = [*stored, attempt.as_dict()][-MOST_ATTEMPTS:]
    return HttpResponseRedirect(there)


def own_address(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("login-provider-back"))


@require_GET
@never_cache
def from_provider(request: HttpRequest) -> HttpResponse:
    """Take the provider's answer: sign in who it vouches for, or connect them with the account that asked."""
    if not get_conf().oidc_issuer:
        raise Http404
    attempt = take_attempt(request, request.GET.get("state", ""))
    if attempt is None:
        detail = "This sign-in was not begun in this browser, took too long, or is over. Sign in once more."
        return error_view(request, 400, detail)
    if refusal := request.GET.get("error"):
        log.warning("provider_refused", error=refusal[:100])
        return error_view(
            request, 403, f"{openid.host_of_provider()} did not let you in ({refusal[:100]!r}). Sign in once more."
        )
    issuer = request.GET.get("iss")
    try:
        if issuer not in (None, get_conf().oidc_issuer):
            raise openid.NotBelieved("the answer comes from another provider")
        proof = openid.redeem(request.GET.get("code", ""), attempt, own_address(request))
        if attempt.connects:
            return connect_account(request, attempt, proof)
        user = find_person(proof)
    except (openid.ProviderAway, openid.NotBelieved) as error:
        return provider_failed(request, error)
    except NotLetIn as error:
        log.warning("sign_in_refused", subject=proof.subject, reason=str(error))
        return error_view(request, 403, str(error))
    login(request, user, backend=PROVIDER)
    request.session[FACTOR], request.session[ID_TOKEN] = "provider", proof.id_token
    # What groups give is asked for again after so long.
    request.session.set_expiry(timedelta(hours=get_conf().oidc_session_hours))
    note(actor_of(user), None, "signed in", user.get_username(), after={"issuer": get_conf().oidc_issuer})
    return HttpResponseRedirect(attempt.next_page or reverse(settings.LOGIN_REDIRECT_URL))


def take_attempt(request: HttpRequest, state: str) -> openid.Attempt | None:
    """Return the sign-in that this state belongs to, once, and not after ten minutes."""
    stored = [openid.Attempt(**entry) for entry in request.session.get(ATTEMPTS, [])]
    attempt = next((entry for entry in stored if constant_time_compare(entry.state, state)), None)
    if attempt is None:
        return None
    request.session[ATTEMPTS] = [entry.as_dict() for entry in stored if entry is not attempt]
    return attempt if 0 <= timezone.now().timestamp() - attempt.started < STEP_SECONDS else None


def connect_account(request: HttpRequest, attempt: openid.Attempt, proof: openid.Proof) -> HttpResponse:
    if not request.user.is_authenticated or request.user.pk != attempt.connects:
        raise PermissionDenied
    try:
        connect(request.user, proof)
    except IdentityTaken:
        return error_view(request, 409, "Another account here is connected with this person at the provider.")
    messages.success(request, f"From now on you can sign in at {openid.host_of_provider()}, too.")
    return redirect("account")


def provider_failed(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say what is wrong with the provider, to the person and to the log."""
    log.error("provider_failed", error=str(error))
    host, is_away = openid.host_of_provider(), isinstance(error, openid.ProviderAway)
    local = "Names and passwords of local accounts work meanwhile." if get_conf().local_login else WAY_OUT
    if is_away:
        return error_view(request, 503, f"Nobody can sign in at {host} now: {error}. Try again in a minute. {local}")
    return error_view(request, 403, f"What {host} answered is not believed: {error}. Sign in once more. {local}")


# --- one's own account


@login_required
@never_cache
def account(request: HttpRequest, **more: Any) -> HttpResponse:
    """Show how somebody signs in, and what they can change about it."""
    user: Any = request.user
    context = {
        "is_local": user.has_usable_password() and get_conf().local_login,
        "has_factor": second_factor.has_factor(user),
        "needs_factor": needs_factor(user),
        "codes_left": second_factor.codes_left(user),
        "identities": Identity.objects.filter(user=user),
        "provider": openid.host_of_provider(),
        "form": CodeForm(),
    }
    response = render(request, "dashboard/account.html", context | more)
    if context["provider"]:
        # The answer to the form leads to the provider: browsers hold that against the page's policy.
        response._csp_update = {"form-action": provider_sources()}  # type: ignore[attr-defined]  # read by django-csp
    return response


def provider_sources() -> list[str]:
    """Return where the provider's pages are. None where it is away: the form says so then."""
    try:
        there = urlsplit(openid.endpoint("authorization_endpoint"))
    except (openid.ProviderAway, openid.NotBelieved):
        return []
    return [f"{there.scheme}://{there.netloc}"]


@login_required
@require_POST
@never_cache
def change_account(request: HttpRequest, what: str) -> HttpResponse:
    """Take a second factor away, make new recovery codes (both with a code), or connect with the provider."""
    if what == "connect" and get_conf().oidc_issuer:
        return begin(request, connects=request.user.pk or 0)
    if what not in ("off", "codes"):
        raise Http404
    user: Any = request.user
    if is_locked_out(request, user):
        return locked_out(request)
    form = CodeForm(request.POST)
    if not form.is_valid() or not second_factor.accepts(user, form.cleaned_data["code"]):
        count_failure(request, user)
        form.add_error("code", WRONG_CODE)
        return account(request, form=form)
    if what == "codes":
        return show_codes(request, second_factor.renew_codes(user, actor_of(user)), reverse("account"))
    second_factor.turn_off(user, actor_of(user))
    messages.success(request, "The second factor is off.")
    return redirect("account")


def show_codes(request: HttpRequest, codes: list[str], goes_to: str) -> HttpResponse:
    """Show recovery codes, this once."""
    return render(request, "dashboard/recovery_codes.html", {"codes": codes, "goes_to": goes_to})


@method_decorator(never_cache, name="dispatch")
class SetUpFactor(FormView):  # type: ignore[type-arg]  # as above
    """Of who is signed in, or may sign in with a second factor only."""

    template_name = "dashboard/set_up_factor.html"
    form_class = SetUpForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.is_signed_in = request.user.is_authenticated
        user: Any = request.user if self.is_signed_in else waiting_user(request)
        if user is None:
            return redirect("login")
        if second_factor.has_factor(user) or not user.has_usable_password():
            # Who has lost the authenticator takes the old one away with a recovery code first.
            return redirect("account" if self.is_signed_in else "login-code")
        self.user = user
        return locked_out(request) if is_locked_out(request, user) else super().dispatch(request, *args, **kwargs)

    def get_form(self, form_class: Any = None) -> SetUpForm:
        form: SetUpForm = super().get_form(form_class)
        if not self.is_signed_in:
            del form.fields["password"]
        return form

    def key(self) -> str:
        """Return the secret that is being set up; it stays the same while somebody types."""
        key: str = self.request.session.setdefault(NEW_KEY, second_factor.new_key())
        self.request.session.modified = True
        return key

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        key = self.key()
        address = second_factor.address_of(self.user, key)
        picture = segno.make(address, micro=False).svg_data_uri(scale=4, border=2, light="white")
        grouped = " ".join(key[start : start + 4] for start in range(0, len(key), 4))
        own = {"address": address, "key": grouped, "picture": picture, "is_signed_in": self.is_signed_in}
        return super().get_context_data(**context, **own)

    def form_valid(self, form: SetUpForm) -> HttpResponse:
        request, fields = self.request, form.cleaned_data
        if self.is_signed_in and not self.user.check_password(fields["password"]):
            count_failure(request, self.user)
            form.add_error("password", "The password is wrong.")
            return self.form_invalid(form)
        codes = second_factor.turn_on(self.user, self.key(), fields["code"].replace(" ", ""), actor_of(self.user))
        if not codes:
            count_failure(request, self.user)
            form.add_error("code", "This is not the code that it shows now. Is the clock of your phone right?")
            return self.form_invalid(form)
        del request.session[NEW_KEY]
        goes_to = reverse("account") if self.is_signed_in else open_session_of(request, self.user)["Location"]
        request.session[FACTOR] = "code"
        return show_codes(request, codes, goes_to)
