"""Passwords in database URLs: never from the command line, never in a message."""

import copy
import dataclasses
import pickle

import pytest

from stovepipe_cli.dsn import DatabaseTarget, Secret, parse_database_url
from stovepipe_cli.errors import StovepipeError, UsageError

SENTINEL = "hunter2sentinel"


@pytest.mark.parametrize(
    "text",
    [f"user:{SENTINEL}@tcp(db:3306)/submitqueue", f"mysql://user:{SENTINEL}@db/submitqueue"],
)
def test_a_password_in_argv_is_refused_with_the_alternatives(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_database_url(text, from_argv=True)
    assert caught.value.exit_code == 2
    for alternative in ("password_file", "password_command", "password_env", "--defaults-file", "STOVEPIPE_PASSWORD"):
        assert alternative in str(caught.value.hint)


def test_a_url_without_a_password_is_welcome_in_argv() -> None:
    assert parse_database_url("user@tcp(db)/submitqueue", from_argv=True).user == "user"


@pytest.mark.parametrize("from_argv", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        f"user:{SENTINEL}@tcp(db:99999)/submitqueue",
        f"user:{SENTINEL}@tcp(db)/submitqueue?what=1",
        f"user:{SENTINEL}@tcp(db)/submitqueue?tls={SENTINEL}",
        f"user:{SENTINEL}@tcp(db)/submitqueue?timeout={SENTINEL}",
        f"user:{SENTINEL}@tcp(db)/submitqueue?loc=%20{SENTINEL}",
        f"user:{SENTINEL}@tcp(db",
        f"user:{SENTINEL}/submitqueue",
        f"user:a@{SENTINEL}/submitqueue",
        f"user:a/{SENTINEL}@tcp(db)",
        f"{SENTINEL}",
        f"mysql://user:{SENTINEL}@db:99999/submitqueue",
        f"mysql://user:{SENTINEL}/x@db/submitqueue",
        f"mysql://user:{SENTINEL}?x@db/submitqueue",
        f"mysql://user:12/{SENTINEL}@db/submitqueue",
        f"mysql://user:12?{SENTINEL}@db/submitqueue",
        f"mysql://user:12?a={SENTINEL}@db/submitqueue",
        f"mysql://user:%{SENTINEL}@db/submitqueue",
        f"mysql://user:%FF{SENTINEL}@db/submitqueue",
        f"mysql://user:[{SENTINEL}@db/sub%",
        f"mysql://{SENTINEL}:a:b/submitqueue",
        f"mysql://user:{SENTINEL}@tcp(db)/submitqueue",
        f"mysql://user@db/submitqueue?password={SENTINEL}",
        f"mysql://user@db/submitqueue?passwd={SENTINEL}",
        f"mysql://user@db/submitqueue?ssl_mode={SENTINEL}",
        f"mysql://user:{SENTINEL}@db",
        f"postgresql://user:{SENTINEL}@db/x",
        f"sqlite://user:{SENTINEL}@db/x",
        f"sqlite:///x.db?key={SENTINEL}",
        f"memory://{SENTINEL}",
        f" user:{SENTINEL}@tcp(db)/submitqueue",
        f"mysql://user:{SENTINEL}\udcff@db/submitqueue",
    ],
)
def test_no_refusal_repeats_a_secret(text: str, from_argv: bool) -> None:  # noqa: FBT001  # a parametrised fixture
    with pytest.raises(StovepipeError) as caught:
        parse_database_url(text, from_argv=from_argv)
    error: BaseException | None = caught.value
    assert caught.value.exit_code == 2
    assert SENTINEL not in str(caught.value.hint)
    while error is not None:
        assert SENTINEL not in str(error)
        error = None if error.__suppress_context__ else error.__context__


def test_a_target_shows_no_password_anywhere() -> None:
    target = parse_database_url(f"user:{SENTINEL}@tcp(db:3306)/submitqueue", from_argv=False)
    shown = [repr(target), str(target), target.display, str(dataclasses.asdict(target))]
    assert not [text for text in shown if SENTINEL in text]
    assert target.display == "mysql://user:***@db:3306/submitqueue"


def test_a_display_quotes_what_a_terminal_could_obey() -> None:
    target = DatabaseTarget("mysql", host="db", port=3306, user="a\x1b[31m", database="x\n")
    assert target.display == "mysql://a%1B%5B31m@db:3306/x%0A"


def test_a_secret_prints_as_a_mask_in_every_way() -> None:
    secret = Secret(SENTINEL)
    assert (str(secret), repr(secret), f"{secret}", f"{secret:>5}", f"{secret!r}") == (
        "***",
        "***",
        "***",
        "  ***",
        "***",
    )


def test_a_secret_gives_its_text_when_asked() -> None:
    assert Secret(SENTINEL).reveal() == SENTINEL


def test_secrets_compare_by_their_text() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1


def test_a_secret_is_copied_but_not_pickled() -> None:
    secret = Secret(SENTINEL)
    assert copy.deepcopy(secret) == secret
    with pytest.raises(TypeError):
        pickle.dumps(secret)
