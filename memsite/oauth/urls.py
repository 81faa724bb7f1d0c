"""Addresses of OAuth, where clients look for them."""

from django.urls import path, re_path

from memsite.oauth import views

urlpatterns = [
    path(".well-known/oauth-authorization-server", views.about_server),
    path(".well-known/oauth-protected-resource", views.about_resource),
    re_path(r"^\.well-known/oauth-protected-resource(?P<path>/.+)$", views.about_resource),
    path("oauth/register", views.register),
    path("oauth/authorize", views.authorize),
    path("oauth/token", views.token),
    path("oauth/revoke", views.revoke),
]
