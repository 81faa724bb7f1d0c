"""Rows from the database, made instances without Django's constructor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NoReturn, Self

from django.db import models
from django.db.models.base import ModelState


class Row(models.Model):
    """A search reads a dozen rows and more; Django looks at each field of each, and at signals that nobody receives.

    Measured: 6 instead of 45 µs for a memory. Fields that were not read are deferred, as with Django's own.
    """

    class Meta:
        abstract = True

    @classmethod
    def from_db(  # type: ignore[override]  # stubs of a later one
        cls, db: str | None, field_names: Iterable[str], values: Sequence[Any]
    ) -> Self:
        row = cls.__new__(cls)
        row.__dict__.update(zip(field_names, values, strict=True))
        row._state = ModelState()
        row._state.adding, row._state.db = False, db
        return row

    def apart(self, copied: dict[int, Row] | None = None) -> Self:
        """Another of the same row, with others of the rows that were read with it: whatever is changed of the one, or
        read for it later, is none of the other's.

        Measured: 1.8 µs for a memory; `deepcopy` takes 46. `copied` are those that have theirs already, by `id`.
        """
        copied = {} if copied is None else copied
        model: type[Self] = self._meta.model  # type: ignore[assignment]  # a Model in the stubs
        row = model.__new__(model)
        copied[id(self)] = row
        values, state = row.__dict__, ModelState()
        values.update(self.__dict__)
        for name in columns_of_many(model):
            if name in values:
                values[name] = copy_of(values[name])
        state.adding, state.db = self._state.adding, self._state.db
        state.fields_cache = {
            name: (copied.get(id(other)) or other.apart(copied)) if isinstance(other, Row) else other
            for name, other in self._state.fields_cache.items()
        }
        row._state = state
        return row

    def seal(self) -> Self:
        """The same row, from now on for all to read, with those that were read with it.

        TypeError for who changes what it holds, or asks by way of it for a row that was not read with it: that would
        stay as it is for whoever comes next.
        """
        if is_sealed(self):
            return self
        values, state = self.__dict__, self._state
        for name in columns_of_many(type(self)):
            if name in values:
                values[name] = sealed_value(values[name])
        state.fields_cache = others = MappingProxyType(state.fields_cache)  # type: ignore[assignment]  # a dict elsewhere
        self.__class__ = sealed(type(self))
        for other in others.values():
            if isinstance(other, Row):
                other.seal()
        return self


def is_sealed(row: Row) -> bool:
    return type(row) is not row._meta.model


def refuse(what: Any, *_: Any, **__: Any) -> NoReturn:
    raise TypeError(f"Others read this {type(what).__name__}, too: take one that is apart.")


@cache
def sealed(model: type[Row]) -> type[Any]:
    """The same model, whose rows cannot be changed: no model of its own, which Django would want a table for."""
    names = {"__setattr__": refuse, "__delattr__": refuse, "__module__": model.__module__}
    return type.__new__(type(model), model.__name__, (model,), names)


class SealedList(list[Any]):
    """What a column of a sealed row holds. Copies of it are lists like any other."""

    append = extend = insert = pop = remove = clear = sort = reverse = refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, ([*self],)


class SealedDict(dict[str, Any]):
    """The same, of an object."""

    update = setdefault = pop = popitem = clear = refuse
    __setitem__ = __delitem__ = __ior__ = refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, ({**self},)


def sealed_value(value: Any) -> Any:
    """Of what JSON can say."""
    if isinstance(value, list):
        return SealedList(map(sealed_value, value))
    if isinstance(value, dict):
        return SealedDict({name: sealed_value(one) for name, one in value.items()})
    return value


@cache
def columns_of_many(model: type[Row]) -> list[str]:
    """The names of those that hold lists and objects."""
    return [field.attname for field in model._meta.concrete_fields if isinstance(field, models.JSONField)]


def copy_of(value: Any) -> Any:
    """Of what JSON can say; a quarter to two thirds of `deepcopy`'s time."""
    if isinstance(value, list):
        return [copy_of(one) for one in value]
    if isinstance(value, dict):
        return {name: copy_of(one) for name, one in value.items()}
    return value
