"""A client on the remote transports of the package agent-client-protocol, for
an agent that is served at a URL. It plays one script with the agent of goagent
and prints a JSON line for each item that it receives: its session ("" for none),
its kind, and the value as the package returns it.

    python client.py http|http:2|ws URL DIRECTORY

DIRECTORY is the directory of the sessions, which contains notes.txt. http:2
speaks only HTTP/2, with TLS or without. $TOKEN, if set, is sent as a bearer
token.

Over HTTP the script is shorter. The package cannot load sessions there: it opens
the stream of a session only if the agent names it in a result, and the result of
session/load does not. It also fails on a character that arrives in two parts.
"""

import asyncio
import json
import os.path
import sys

import acp
import httpx
from acp import schema
from acp.http import create_http_stream
from acp.ws import create_websocket_stream

profile, url, cwd = sys.argv[1:]
token = os.environ.get("TOKEN")
LONG = "é漢🎉x" * 20_000 if profile == "ws" else "x" * 200_000
headers = {"Authorization": f"Bearer {token}"} if token else None


class Http2(httpx.AsyncBaseTransport):
    """HTTP/2 with a connection for each request. On a shared connection one reader
    may leave the data of another waiting until more arrives, which may take long."""

    def __init__(self):
        self.connections = []

    async def handle_async_request(self, request):
        connection = httpx.AsyncHTTPTransport(http1=False, http2=True)
        self.connections.append(connection)
        return await connection.handle_async_request(request)

    async def aclose(self):
        for connection in self.connections:
            await connection.aclose()


async def dial():
    if profile == "ws":
        return await create_websocket_stream(url, headers=headers)
    client = httpx.AsyncClient(transport=Http2(), timeout=None) if profile == "http:2" else None
    return create_http_stream(url, client=client, headers=headers)


def note(session, got, value):
    print(json.dumps({"session": session, "got": got, "value": value}), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client(acp.Client):
    def __init__(self):
        self.waiting = {}

    def said(self, session, text):
        """Returns a future that is done when the agent sends the text."""
        return self.waiting.setdefault((session, text), asyncio.get_running_loop().create_future())

    async def session_update(self, session_id, update, **_):
        value = plain(update)
        note(session_id, "update", value)
        content = value.get("content")
        text = content.get("text") if isinstance(content, dict) else None
        if waits := self.waiting.pop((session_id, text), None):
            waits.set_result(None)

    async def request_permission(self, session_id, tool_call, options, **_):
        note(session_id, "asked", {"tool": tool_call.tool_call_id, "options": [o.option_id for o in options]})
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id="yes"))

    async def read_text_file(self, session_id, path, line=None, limit=None, **_):
        note(session_id, "read", {"file": os.path.basename(path), "line": line or 0, "limit": limit or 0})
        if not os.path.isabs(path):
            raise acp.RequestError.invalid_params({"path": path})
        try:
            with open(path, newline="") as f:
                lines = f.readlines()
        except OSError:
            raise acp.RequestError.resource_not_found(path)
        start = (line or 1) - 1
        return schema.ReadTextFileResponse(content="".join(lines[start : None if limit is None else start + limit]))

    async def write_text_file(self, session_id, path, content, **_):
        note(session_id, "write", {"file": os.path.basename(path), "content": content})
        with open(path, "w", newline="") as f:
            f.write(content)
        return schema.WriteTextFileResponse()


async def play(client, agent):
    async def call(session, got, request):
        try:
            result = await request
        except acp.RequestError as e:
            note(session, got, {"code": e.code, "message": str(e)})
            return None
        note(session, got, plain(result) if result is not None else {})
        return result

    def prompt(session, text):
        return call(session, "session/prompt", agent.prompt(session_id=session, prompt=[acp.text_block(text)]))

    async def cancelled(session, meanwhile=None):
        waits = client.said(session, "waiting")
        turn = asyncio.create_task(prompt(session, "wait"))
        await waits
        if meanwhile:
            await meanwhile
        await agent.cancel(session_id=session)
        await turn

    agreed = await agent.initialize(
        protocol_version=acp.PROTOCOL_VERSION,
        client_info=schema.Implementation(name="interop", version="1.2.3"),
        client_capabilities=schema.ClientCapabilities(
            fs=schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
        ),
    )
    note(
        "",
        "initialize",
        {"version": agreed.protocol_version, "agent": agreed.agent_info.name, "load": agreed.agent_capabilities.load_session},
    )
    first = (await call("", "session/new", agent.new_session(cwd=cwd))).session_id
    for text in ("hello", "session", "ask", "read", "edit", "fail", "burst 200", "echo " + LONG):
        await prompt(first, text)
    await cancelled(first)
    await prompt(first, "hello")

    second = (await call("", "session/new", agent.new_session(cwd=cwd))).session_id
    await cancelled(first, prompt(second, "hello"))
    await call(second, "session/set_mode", agent.set_session_mode(session_id=second, mode_id="code"))
    await call(second, "session/close", agent.close_session(session_id=second))

    await call("", "session/list", agent.list_sessions())
    await call("", "session/list", agent.list_sessions(cursor="page two"))
    if profile != "ws":
        return
    await call("", "session/load", agent.load_session(cwd=cwd, session_id="never was"))
    told = client.said("earlier", "what was answered")
    await call("", "session/load", agent.load_session(cwd=cwd, session_id="earlier"))
    await told
    await prompt("earlier", "hello")


async def main():
    client = Client()
    async with acp.connect_to_agent(client, await dial()) as agent:
        await play(client, agent)


asyncio.run(main())
