"""HTTPS server on a port of localhost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from aiohttp import http_exceptions, web

from pytest_crd.server import encoding, faulteffects
from pytest_crd.server.api import Api
from pytest_crd.server.faulteffects import NO_EFFECT, FaultEffect
from pytest_crd.server.faults import Faults
from pytest_crd.server.http import newconnections, statuses, webmessages
from pytest_crd.server.http.certificates import Certificates
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.newconnections import NewConnection
from pytest_crd.server.watching import Reply, Stream, WatchEvent

_HOST: Final = "127.0.0.1"
_GRACE: Final = 0.2
# Requests answered at the same time.
_WORKERS: Final = 4
# Limits on connections before their first request of a known user, and between requests: each takes half a megabyte.
_MOST_NEW: Final = 64
_MOST_IDLE: Final = 256
# Connections waiting to be accepted.
_BACKLOG: Final = 128
# Seconds for a TLS handshake.
_HANDSHAKE: Final = 10.0
# Seconds in which a client may read the response to a body that is not read, as in Go's servers.
_LINGERING: Final = 0.5
_ERRORS_OF_CLIENTS: Final = (OSError, http_exceptions.HttpProcessingError)
# Seconds between bookmarks, as in the watch cache of 1.37.
_BOOKMARKS_EVERY: Final = 60.0
# The shortest wait for the end of a watch in seconds, and the bytes of an event before a connection is cut.
_SOON: Final = 0.01
_CUT: Final = 20

# The log of aiohttp, without errors of clients, which get an answer.
_LOGGER: Final = logging.getLogger("pytest_crd.server")
_LOGGER.addFilter(lambda record: not isinstance(record.exc_info and record.exc_info[1], _ERRORS_OF_CLIENTS))

# Called with each request and its response; with None when a watch begins.
RequestListener = Callable[[HTTPRequest, "HTTPAnswer | None"], None]


class HTTPServer:
    """
    HTTPS server for an API, between `start` and `stop`.

    Attributes:
        url: Its URL, `https://127.0.0.1:PORT`.
        token: The bearer token that requests must send.
    """

    def __init__(  # noqa: PLR0913 - the parts of a server
        self,
        api: Api,
        certificates: Certificates,
        *,
        token: str = "",
        port: int = 0,
        on_request: RequestListener | None = None,
        while_deciding: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
        faults: Faults | None = None,
    ) -> None:
        """
        Bind a port.

        Args:
            api: The API.
            certificates: The certificates for TLS.
            token: The bearer token that the API requires.
            port: The port; 0 for a free one.
            on_request: Called with each request and its response.
            while_deciding: Returns a context for the decision and the report of each request.
            faults: The faults that requests meet.

        Raises:
            OSError: The port is in use.
        """
        self._api = api
        self._on_request = on_request
        self._while_deciding = while_deciding
        self._faults = faults or Faults()
        self._context = certificates.context
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((_HOST, port))
        except OSError:
            self._socket.close()
            raise
        self.url = f"https://{_HOST}:{self._socket.getsockname()[1]}"
        api.address = self.url.removeprefix("https://")
        self.token = token
        self._loop = asyncio.new_event_loop()
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="crd_server")
        self._thread = threading.Thread(target=self._run, name="crd_server", daemon=True)
        self._is_up = threading.Event()
        self._stopping = asyncio.Event()
        self._streams: set[asyncio.Event] = set()
        # Connections before their first request of a known user, oldest first.
        self._new: dict[asyncio.Task[None], None] = {}
        # The task that answers the request of a connection.
        self._busy: dict[object, asyncio.Task[Any] | None] = {}

    def start(self) -> None:
        """Listen; the server answers requests when this returns."""
        self._thread.start()
        self._is_up.wait()

    def stop(self) -> None:
        """End all watches and connections, wait for requests that are being decided, and release the port."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        self._workers.shutdown()
        self._api.close()
        self._loop.close()
        self._socket.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        app = web.Application(client_max_size=webmessages.MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle, expect_handler=webmessages.expect)
        runner = web.AppRunner(
            app,
            access_log=None,
            logger=_LOGGER,
            lingering_time=_LINGERING,
            shutdown_timeout=_GRACE,
            handle_signals=False,
            auto_decompress=False,  # the API takes bodies as sent
            max_line_size=newconnections.MOST_BYTES,
            max_field_size=newconnections.MOST_BYTES,
        )
        await runner.setup()
        server = runner.server
        assert server is not None  # noqa: S101 - set by `setup`
        self._socket.listen(_BACKLOG)
        self._socket.settimeout(0)
        accepting = self._loop.create_task(self._accept(server))
        unsubscribe = self._api.store.listen(self._wake)
        self._api.store.clock.listen(self._wake)
        self._is_up.set()
        try:
            await self._stopping.wait()
        finally:
            unsubscribe()
            accepting.cancel()
            await asyncio.sleep(0)
            await self._end_streams()
            # An orderly close would wait for clients.
            for task in self._new:
                task.cancel()
            _abort(server.connections)
            # Nothing is written after the end of the server.
            await asyncio.gather(*filter(None, self._busy.values()), return_exceptions=True)
            await runner.cleanup()
            remaining = asyncio.all_tasks() - {asyncio.current_task()}
            for rest in remaining:
                rest.cancel()
            await asyncio.gather(*remaining, return_exceptions=True)

    async def _accept(self, server: web.Server) -> None:
        """Accept connections for *server*; close the oldest idle ones above the limits."""
        while True:
            try:
                connection, _ = await self._loop.sock_accept(self._socket)
            except OSError:  # too many open files
                await asyncio.sleep(_GRACE)
                continue
            task = self._loop.create_task(self._connect(server, connection))
            self._new[task] = None
            task.add_done_callback(self._new.pop)
            await asyncio.sleep(0)  # let the task start: once started, it closes its connection when cancelled
            for oldest in [*self._new][:-_MOST_NEW]:
                oldest.cancel()
            idle = [idle_connection for idle_connection in server.connections if idle_connection not in self._busy]
            _abort(idle[:-_MOST_IDLE])

    async def _connect(self, server: web.Server, connection: socket.socket) -> None:
        """Do the TLS handshake of a connection, and wait for its first request of a known user."""
        with contextlib.suppress(OSError):  # the client closed the connection, speaks no TLS, or stays silent
            _, new = await self._loop.connect_accepted_socket(
                lambda: NewConnection(server()), connection, ssl=self._context, ssl_handshake_timeout=_HANDSHAKE
            )
            await new.wait()

    async def _end_streams(self) -> None:
        """End all watches; do not wait for clients that do not read."""
        self._wake_all()
        until = self._loop.time() + _GRACE
        while self._streams and self._loop.time() < until:  # noqa: ASYNC110 - several end, each of them soon
            await asyncio.sleep(0.001)

    def _wake(self) -> None:
        """Notify all watches of a change; safe to call in any thread."""
        with contextlib.suppress(RuntimeError):  # the loop just ended
            self._loop.call_soon_threadsafe(self._wake_all)

    def _wake_all(self) -> None:
        for stream in self._streams:
            stream.set()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._busy[request.protocol] = asyncio.current_task()
        try:
            response = await self._answer(request)
            await response.prepare(request)  # wrong headers are an error of this block
        except Exception as error:  # noqa: BLE001 - an error of pytest-crd, which the listener reports
            is_cut = request.transport is None or request.transport.is_closing()
            return web.Response() if is_cut and isinstance(error, ConnectionError) else self._fail(request, error)
        else:
            return response
        finally:
            del self._busy[request.protocol]

    def _fail(self, request: web.Request, error: Exception) -> web.StreamResponse:
        """
        Report an error of pytest-crd to the listener, or write it to the error output without one, and return its response.

        Raises:
            ConnectionError: A response has begun.
        """
        http_request = webmessages.head_of(request)
        answer = encoding.unexpected(http_request, error)
        if self._on_request is None:
            sys.stderr.write(f"{answer.failure}\n")
        else:
            self._on_request(self._api.access.identify(http_request), answer)
        if request.writer.output_size > 0:
            raise ConnectionError
        return webmessages.make_response(answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        http_request = webmessages.head_of(request)
        identified = self._api.access.identify(http_request)
        if not identified.user.username:  # the answer does not depend on the body
            refused: Reply = await self._loop.run_in_executor(self._workers, self._decide, http_request, NO_EFFECT)
            assert isinstance(refused, HTTPAnswer)  # noqa: S101 - nobody unknown watches
            response = webmessages.make_response(refused)
            response.force_close()
            return response
        newconnections.admit(request.transport)
        try:
            http_request = http_request._replace(body=await webmessages.read_body(request))
        except TimeoutError:
            response = webmessages.make_response(encoding.failed(http_request, statuses.timed_out()))
            response.force_close()
            return response
        effect = self._faults.take(identified)
        http_request = http_request._replace(fault=effect.text)
        await self._pause(effect.delay)
        reply: Reply = await self._loop.run_in_executor(self._workers, self._decide, http_request, effect)
        if isinstance(reply, Stream):
            return await self._stream(request, reply, effect)
        return await webmessages.send_half(request, reply) if effect.is_cut else webmessages.make_response(reply)

    def _decide(self, request: HTTPRequest, effect: FaultEffect) -> Reply:
        """Return the reply to a request, and report it before a reader of the log can miss it."""
        if effect.overtaking is not None:
            self._api.answer(faulteffects.overtaking_request(request, effect.overtaking))
        with self._while_deciding():
            reply = faulteffects.refuse(request, effect) if effect.code else self._api.answer(request)
            if self._on_request is not None:
                self._on_request(self._api.access.identify(request), reply if isinstance(reply, HTTPAnswer) else None)
        return reply

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than the server runs."""
        if seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _stream(self, request: web.Request, stream: Stream, effect: FaultEffect) -> web.StreamResponse:
        """Send the events of a watch until it ends, times out, or the client disconnects."""
        end = self._api.store.clock.elapsed + stream.timeout
        response = web.StreamResponse(headers={"Content-Type": stream.media_type, "Cache-Control": "no-cache, private"})
        for text in stream.warnings:
            response.headers.add("Warning", encoding.warning(text))
        await response.prepare(request)
        news = asyncio.Event()
        self._streams.add(news)
        try:
            with self._api.store.clock.active():
                await self._send_events(response, stream, news, effect, end)
            if effect.is_cut:
                webmessages.close(request)
            else:
                await response.write_eof()
        except ConnectionError:
            pass  # the client disconnected
        finally:
            self._streams.discard(news)
        return response

    async def _send_events(
        self, response: web.StreamResponse, stream: Stream, news: asyncio.Event, effect: FaultEffect, end: float
    ) -> None:
        clock, watch = self._api.store.clock, stream.watch
        due = self._loop.time() + _BOOKMARKS_EVERY
        if effect.is_expired:
            return await _send(response, stream, watch.expire())
        remaining = effect.ends_after
        while not self._stopping.is_set() and remaining != 0:
            news.clear()
            events = watch.take()[:remaining]
            await self._pause(effect.lag if events else 0)
            if events and effect.is_cut:
                return await response.write(stream.line(events[0])[:_CUT])
            await _send(response, stream, events)
            remaining = None if remaining is None else remaining - len(events)
            if watch.is_over or remaining == 0 or clock.elapsed >= end - _SOON:
                break
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), min(due - self._loop.time(), max(end - clock.elapsed, _SOON)))
            if self._loop.time() >= due:
                due += _BOOKMARKS_EVERY
                await _send(response, stream, watch.bookmark())
        if not watch.is_over and remaining is None:
            await _send(response, stream, watch.bookmark())
        return None


def _abort(connections: Iterable[web.RequestHandler]) -> None:
    for transport in filter(None, [connection.transport for connection in connections]):
        transport.abort()


async def _send(response: web.StreamResponse, stream: Stream, events: list[WatchEvent]) -> None:
    if events:
        await response.write(b"".join(stream.line(event) for event in events))


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(24)
