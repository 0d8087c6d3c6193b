"""What holds for every key of every store: it is compared as bytes, unique, limited and never changed."""

from typing import Any

import pytest

from stovepipe_cli.errors import IdentifierTooLong, InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, CollationConflict, NotFound, Storage
from tests.contract.specimens import SPECIMENS, Specimen

PAIRS = {
    "case": ("main", "Main"),
    "accent": ("resume", "résumé"),
    "composed": ("caf\u00e9", "cafe\u0301"),
    "sharp-s": ("strasse", "straße"),
    "trailing-space": ("main", "main "),
    "leading-space": ("main", " main"),
    "emoji": ("🙂", "🙃"),
    "ignorable": ("main", "ma\u200bin"),
    "quote": ("o'clock", "o''clock"),
    "double-quote": ('say "hi"', 'say ""hi""'),
    "percent": ("a%", "abc"),
    "underscore": ("a_c", "abc"),
    "backslash": ("a\\n", "a\\\\n"),
    "digits": ("10", "010"),
    "newline": ("main", "main\n"),
}

each_specimen = pytest.mark.parametrize("specimen", SPECIMENS, ids=str)
each_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())

Pair = tuple[str, str]


@each_pair
@each_specimen
def test_a_key_that_differs_in_bytes_is_not_found(storage: Storage, specimen: Specimen[Any], pair: Pair) -> None:
    written, asked = pair
    specimen.create(storage, specimen.make(storage.queue, written))
    with pytest.raises(NotFound):
        specimen.get(storage, asked)
    assert specimen.get(storage, written) == specimen.make(storage.queue, written)


@each_pair
@each_specimen
def test_a_second_key_that_differs_in_bytes_is_kept_apart_or_refused(
    storage: Storage, specimen: Specimen[Any], pair: Pair
) -> None:
    first, second = (specimen.make(storage.queue, key) for key in pair)
    specimen.create(storage, first)
    try:
        specimen.create(storage, second)
    except CollationConflict:
        with pytest.raises(NotFound):
            specimen.get(storage, pair[1])
    else:
        assert specimen.get(storage, pair[1]) == second
    assert specimen.get(storage, pair[0]) == first


@each_specimen
def test_what_was_created_is_read_back_whole(storage: Storage, specimen: Specimen[Any]) -> None:
    entity = specimen.make(storage.queue, "request/queue/7")
    specimen.create(storage, entity)
    assert specimen.get(storage, "request/queue/7") == entity


@each_specimen
def test_a_key_that_was_never_written_is_not_found(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(NotFound):
        specimen.get(storage, "absent")


@each_specimen
def test_an_empty_key_that_was_never_written_is_not_found(storage: Storage, specimen: Specimen[Any]) -> None:
    specimen.create(storage, specimen.make(storage.queue, "7"))
    with pytest.raises(NotFound):
        specimen.get(storage, "")


@each_specimen
def test_a_key_is_created_once(storage: Storage, specimen: Specimen[Any]) -> None:
    entity = specimen.make(storage.queue, "7")
    specimen.create(storage, entity)
    with pytest.raises(AlreadyExists):
        specimen.create(storage, entity)
    assert specimen.get(storage, "7") == entity


@each_specimen
def test_the_longest_key_is_stored_whole(storage: Storage, specimen: Specimen[Any]) -> None:
    entity = specimen.make(storage.queue, specimen.longest)
    specimen.create(storage, entity)
    assert specimen.get(storage, specimen.longest) == entity


@each_specimen
def test_a_key_over_its_limit_is_refused_and_not_truncated(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(IdentifierTooLong):
        specimen.create(storage, specimen.make(storage.queue, specimen.longest + "x"))
    with pytest.raises(NotFound):
        specimen.get(storage, specimen.longest)


@each_specimen
def test_a_key_over_its_limit_is_not_found(storage: Storage, specimen: Specimen[Any]) -> None:
    specimen.create(storage, specimen.make(storage.queue, specimen.longest))
    with pytest.raises(NotFound):
        specimen.get(storage, specimen.longest + "x")


@pytest.mark.parametrize("specimen", [s for s in SPECIMENS if not s.may_be_empty], ids=str)
def test_an_empty_key_is_refused(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(InvalidEntity):
        specimen.create(storage, specimen.make(storage.queue, ""))


@pytest.mark.parametrize("specimen", [s for s in SPECIMENS if s.may_be_empty], ids=str)
def test_an_empty_key_part_is_a_key_of_its_own(storage: Storage, specimen: Specimen[Any]) -> None:
    empty, named = specimen.make(storage.queue, ""), specimen.make(storage.queue, "named")
    specimen.create(storage, empty)
    specimen.create(storage, named)
    assert (specimen.get(storage, ""), specimen.get(storage, "named")) == (empty, named)


@pytest.mark.parametrize("specimen", [s for s in SPECIMENS if s.is_binary], ids=str)
def test_a_binary_key_that_is_not_utf8_is_read_back(storage: Storage, specimen: Specimen[Any]) -> None:
    entity = specimen.make(storage.queue, "\udcff\udc80ok")
    specimen.create(storage, entity)
    assert specimen.get(storage, "\udcff\udc80ok") == entity


@pytest.mark.parametrize("specimen", [s for s in SPECIMENS if not s.is_binary], ids=str)
def test_a_text_key_that_is_not_utf8_is_refused(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(InvalidEntity):
        specimen.create(storage, specimen.make(storage.queue, "\udcff"))


@each_specimen
def test_a_key_that_is_not_utf8_is_not_found(storage: Storage, specimen: Specimen[Any]) -> None:
    with pytest.raises(NotFound):
        specimen.get(storage, "\udcff")
