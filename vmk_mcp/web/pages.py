"""Pages beside /mcp: plain GET answers behind the same checks of Origin and Host."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from vmk_mcp.observe import Crashed, Observer, RequestRefused
from vmk_mcp.web.head import Head, read_head
from vmk_mcp.web.refusals import INTERNAL_ERROR, NO_SUCH_PATH, Headers, Refusal, method_not_allowed
from vmk_mcp.web.replies import JSON_TYPE, send_body, send_refusal

_WRONG_METHOD: Final = method_not_allowed(b"GET, HEAD")


class PageBody(Struct, frozen=True):
    """What a page answers: HTTP status, body, and headers that say the body's type."""

    status: int
    body: bytes
    headers: Headers = JSON_TYPE


CheckSite = Callable[[Head], Refusal | None]
Render = Callable[[Head], Awaitable[PageBody | Refusal]]


class Page:
    """An ASGI application that answers any method with what `render` gives."""

    def __init__(self, render: Render, check_site: CheckSite, observer: Observer) -> None:
        self._render = render
        self._check_site = check_site
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        head = read_head(scope)
        page = self._check_site(head) or await self._answer(head)
        if isinstance(page, Refusal):
            await send_refusal(send, head, page)
            self._observer.observe(RequestRefused(head.request_id, page.code, page.status))
        else:
            await send_body(send, head, page.status, page.body, page.headers)

    async def _answer(self, head: Head) -> PageBody | Refusal:
        try:
            return await self._render(head)
        except Exception as bug:  # noqa: BLE001  (the last door: a bug goes to the log whole, to the client by name)
            self._observer.observe(Crashed(head.request_id, bug))
            return INTERNAL_ERROR


def answer_get(render: Render) -> Render:
    """Refuse all methods but GET and HEAD, whose body the server leaves out."""

    async def answer(head: Head) -> PageBody | Refusal:
        return await render(head) if head.method in {"GET", "HEAD"} else _WRONG_METHOD

    return answer


async def refuse_path(head: Head) -> Refusal:
    """Answer for a path that nothing serves; see `Render`."""
    return NO_SUCH_PATH
