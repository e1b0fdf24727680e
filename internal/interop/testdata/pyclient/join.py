"""A client on the package agent-client-protocol that joins a live session of
parley: the first one in the list. It prints a JSON line for each item that it
receives, as client.py does, and does what the lines of its standard input say:
"prompt TEXT" or "cancel".

    python join.py stdio PARLEY ARG…
    python join.py ws URL

$TOKEN, if set, is sent as a bearer token. Over HTTP the package cannot load
sessions, see client.py.
"""

import asyncio
import contextlib
import json
import os
import sys

import acp
from acp import schema
from acp.ws import create_websocket_stream

profile, target, *args = sys.argv[1:]


def note(session, got, value):
    print(json.dumps({"session": session, "got": got, "value": value}), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client(acp.Client):
    async def session_update(self, session_id, update, **_):
        note(session_id, "update", plain(update))

    async def request_permission(self, session_id, tool_call, options, **_):
        note(session_id, "asked", {"title": tool_call.title, "options": [o.kind for o in options]})
        allow = next(o.option_id for o in options if o.kind == "allow_once")
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=allow))

    async def read_text_file(self, session_id, path, **_):
        note(session_id, "read", path)

    async def write_text_file(self, session_id, path, content, **_):
        note(session_id, "write", path)


async def play(agent):
    async def call(session, got, request):
        try:
            result = await request
        except acp.RequestError as e:
            note(session, got, {"code": e.code, "message": str(e)})
            return None
        note(session, got, plain(result) if result is not None else {})
        return result

    await agent.initialize(
        protocol_version=acp.PROTOCOL_VERSION,
        client_info=schema.Implementation(name="interop", version="1.2.3"),
        client_capabilities=schema.ClientCapabilities(
            fs=schema.FileSystemCapabilities(read_text_file=True, write_text_file=True), terminal=True
        ),
    )
    session = (await call("", "session/list", agent.list_sessions())).sessions[0]
    id = session.session_id
    await call(id, "session/load", agent.load_session(cwd=session.cwd, session_id=id))
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    turns = []
    while line := (await lines.readline()).decode().rstrip("\n"):
        if line == "cancel":
            await agent.cancel(session_id=id)
            continue
        prompt = agent.prompt(session_id=id, prompt=[acp.text_block(line.removeprefix("prompt "))])
        turns.append(asyncio.create_task(call(id, "session/prompt", prompt)))


async def main():
    if profile == "stdio":
        async with acp.spawn_agent_process(Client(), target, *args, env=dict(os.environ)) as (agent, _):
            await play(agent)
        return
    token = os.environ.get("TOKEN")
    stream = await create_websocket_stream(target, headers={"Authorization": f"Bearer {token}"} if token else None)
    async with acp.connect_to_agent(Client(), stream) as agent:
        await play(agent)


with contextlib.suppress(asyncio.CancelledError):
    asyncio.run(main())
