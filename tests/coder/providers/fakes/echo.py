"""The smallest API: what the tests of the layers below any format talk to."""

from typing import Any

from tests.coder.providers.fakes.reply import Received, Reply
from tests.coder.providers.fakes.server import Refusal


class Echo:
    """Each piece of text is an event."""

    prefix = "/v1"
    documents: Any = ("model",)

    def judge(self, request: Received) -> Refusal | None:
        return Refusal(400, "no body") if request.body is None else None

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        texts = [piece for part in reply.parts for piece in getattr(part, "pieces", ())]
        return [f"data: {text}\n\n".encode() for text in texts]

    def error(self, status: int, message: str, code: str | None) -> Any:
        return {"error": {"message": message, "code": code}}

    def document(self, request: Received) -> Any:
        return self.documents
