"""A scripted model: an OpenAI-compatible server on loopback that answers from a list, and nothing else.

Requests that offer tools take the scenario's replies in order; others (titles, summaries) are answered by their words.
No clock and no chance has a say in an answer.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from validator.probe.plan import Plan, Reply, Scenario, filled

MOST_REQUEST = 64 * 2**20
NAME = "scripted"
_CREATED = 1_700_000_000


class Model(ThreadingHTTPServer):
    """The server; ``served`` counts the scenario's replies that were given."""

    daemon_threads = True

    def __init__(self, plan: Plan, scenario: Scenario, words: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._auxiliary = plan.auxiliary
        self._replies = scenario.replies
        self._words = words
        self._lock = threading.Lock()
        self.served = 0
        self.requests = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    def answer(self, request: dict[str, Any]) -> tuple[int, Reply]:
        """Return the number and the reply for a request."""
        with self._lock:
            self.requests += 1
            number = self.requests
            if request.get("tools"):
                reply = self._replies[min(self.served, len(self._replies) - 1)]
                self.served += 1
                return number, reply
        text = json.dumps(request.get("messages", []), ensure_ascii=False)
        content = next((answer for words, answer in self._auxiliary if words in text), "Yes.")
        return number, Reply(content, None, (), 100, 10, 0)

    def fill(self, value: Any) -> Any:
        """Return a value with the places of this run filled in."""
        return filled(value, **self._words)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is nobody's business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the one model that there is."""
        if self.path.rstrip("/").endswith("/models"):
            self._send(
                {"object": "list", "data": [{"id": NAME, "object": "model", "created": _CREATED, "owned_by": "probe"}]}
            )
        else:
            self._send({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        """Answer a chat completion, at once or as a stream."""
        size = int(self.headers.get("Content-Length") or 0)
        try:
            request = json.loads(self.rfile.read(min(size, MOST_REQUEST)))
        except ValueError:
            self._send({"error": {"message": "not JSON"}}, 400)
            return
        if not isinstance(request, dict) or not self.path.endswith("/chat/completions"):
            self._send({"error": {"message": "not found"}}, 404)
            return
        number, reply = self.server.answer(request)
        calls = [self._call(call) for call in reply.calls]
        if request.get("stream"):
            self._stream(number, reply, calls, request)
            return
        message: dict[str, Any] = {"role": "assistant", "content": self.server.fill(reply.content)}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        self._send({**self._head(number, "chat.completion"), "choices": [choice], "usage": _usage(reply)})

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        arguments = json.dumps(self.server.fill(call["arguments"]), ensure_ascii=False)
        return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments}}

    def _head(self, number: int, kind: str) -> dict[str, Any]:
        return {"id": f"probe-{number:04d}", "object": kind, "created": _CREATED, "model": NAME}

    def _send(self, document: dict[str, Any], status: int = 200) -> None:
        data = json.dumps(document).encode("ascii")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, number: int, reply: Reply, calls: list[dict[str, Any]], request: dict[str, Any]) -> None:
        """Send the answer as events: one delta for each part of it, the usage where it was asked for."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        if reply.reasoning:
            deltas.append({"reasoning_content": reply.reasoning})
        if reply.content:
            deltas.append({"content": self.server.fill(reply.content)})
        deltas.extend({"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls))
        head = self._head(number, "chat.completion.chunk")
        events = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        finish = "tool_calls" if calls else "stop"
        events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if (request.get("stream_options") or {}).get("include_usage"):
            events.append({**head, "choices": [], "usage": _usage(reply)})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(b"data: " + json.dumps(event).encode("ascii") + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.wfile.flush()
        self.close_connection = True


def _usage(reply: Reply) -> dict[str, Any]:
    total = reply.prompt + reply.completion
    usage: dict[str, Any] = {
        "prompt_tokens": reply.prompt,
        "completion_tokens": reply.completion,
        "total_tokens": total,
    }
    if reply.cached:
        usage["prompt_tokens_details"] = {"cached_tokens": reply.cached}
    return usage
