"""The exception tree: what can be caught by what, and what each exception says."""

import pickle
import subprocess
import sys

import pytest

from parley import errors
from parley.errors import (
    AcpError,
    AuthRequired,
    ConfigError,
    ConnectionClosed,
    ConnectionLost,
    FrameTooLarge,
    InternalError,
    InvalidParams,
    InvalidRequest,
    LocalProtocolError,
    MethodNotFound,
    ParseError,
    ProtocolError,
    RemoteProtocolError,
    RequestCancelled,
    RequestTimeout,
    ResourceNotFound,
    RpcError,
    TransportError,
    VersionMismatch,
)

CODES = {
    ParseError: -32700,
    InvalidRequest: -32600,
    MethodNotFound: -32601,
    InvalidParams: -32602,
    InternalError: -32603,
    RequestCancelled: -32800,
    AuthRequired: -32000,
    ResourceNotFound: -32002,
    VersionMismatch: -32022,
}


def test_everything_can_be_caught_by_its_root() -> None:
    ours = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and value.__module__ == errors.__name__
    ]
    assert [each for each in ours if not issubclass(each, AcpError)] == []
    assert len(ours) > 15


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_a_coded_error_has_its_code_and_a_text_without_details(
    kind: type[RpcError], code: int
) -> None:
    error = kind()  # type: ignore[call-arg]
    assert (error.code, error.data) == (code, None)
    assert str(error) == f"{error.message} ({code})"
    assert error.message


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_an_error_object_becomes_the_class_that_stands_for_its_code(
    kind: type[RpcError], code: int
) -> None:
    error = RpcError.of(code, "text", {"a": 1})
    assert type(error) is kind
    assert (error.code, error.message, error.data) == (code, "text", {"a": 1})


def test_an_error_object_with_another_code_stays_plain() -> None:
    error = RpcError.of(-1, "text")
    assert type(error) is RpcError
    assert (error.code, error.message, error.data) == (-1, "text", None)


def test_an_empty_text_is_kept() -> None:
    assert InvalidParams("").message == ""


def test_a_broken_rule_names_who_broke_it() -> None:
    with pytest.raises(TypeError, match="raise LocalProtocolError or RemoteProtocolError"):
        ProtocolError("x")
    for kind in (LocalProtocolError, RemoteProtocolError):
        assert isinstance(kind("x"), ProtocolError)
        assert str(kind("x")) == "x"


@pytest.mark.parametrize("kind", [ConnectionClosed, ConnectionLost, FrameTooLarge])
def test_problems_of_the_transport_are_transport_errors(kind: type[Exception]) -> None:
    assert issubclass(kind, TransportError)


def test_a_deadline_is_also_a_timeout_error() -> None:
    with pytest.raises(TimeoutError, match="late"):
        raise RequestTimeout("late")


def test_a_config_error_names_file_key_problem_and_fix() -> None:
    error = ConfigError("parley.toml", "model", "is not a string", "write it in quotes")
    assert str(error) == "parley.toml: `model` is not a string\nhint: write it in quotes"
    assert (error.file, error.key, error.problem, error.hint) == (
        "parley.toml",
        "model",
        "is not a string",
        "write it in quotes",
    )


@pytest.mark.parametrize("error", [RpcError(5, "no", [1]), InvalidParams("no", {"a": 1})])
def test_an_error_survives_the_way_between_processes(error: RpcError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.code, copy.message, copy.data) == (error.code, error.message, error.data)


def test_importing_the_errors_imports_nothing_of_ours() -> None:
    code = "import sys, parley.errors; print([m for m in sys.modules if m.startswith('parley')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert out.stdout.strip() == "['parley', 'parley.errors']"
