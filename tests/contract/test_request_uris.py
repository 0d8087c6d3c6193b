"""URI mappings: the first request of a URI keeps it."""

import pytest

from stovepipe_cli.errors import InvalidEntity
from stovepipe_cli.storage.contract import AlreadyExists, NotFound, Storage
from tests.contract.samples import URI, Fields, a_uri


def test_a_uri_stays_with_its_first_request(storage: Storage) -> None:
    storage.request_uris.create(a_uri(storage.queue, request_id="7"))
    with pytest.raises(AlreadyExists):
        storage.request_uris.create(a_uri(storage.queue, request_id="8"))
    assert storage.request_uris.get(URI) == a_uri(storage.queue, request_id="7")


def test_one_request_may_own_several_uris(storage: Storage) -> None:
    for uri in ("git://a", "git://b"):
        storage.request_uris.create(a_uri(storage.queue, uri))
    assert storage.request_uris.get("git://a").request_id == storage.request_uris.get("git://b").request_id


@pytest.mark.parametrize("fields", [{"request_id": ""}, {"version": 0}, {"request_id": "x" * 256}], ids=str)
def test_an_invalid_mapping_is_not_created(storage: Storage, fields: Fields) -> None:
    with pytest.raises(InvalidEntity):
        storage.request_uris.create(a_uri(storage.queue, **fields))
    with pytest.raises(NotFound):
        storage.request_uris.get(URI)
