"""An ACP v1 agent on the package agent-client-protocol. The first word
of the prompt chooses what it does; see package interop. It reports unexpected
input as "FAIL: ..."."""

import asyncio
import os.path

import acp
from acp import helpers, schema

EARLIER = "earlier"


def modes(current):
    return schema.SessionModeState(
        current_mode_id=current,
        available_modes=[
            schema.SessionMode(id="ask", name="Ask"),
            schema.SessionMode(id="code", name="Code", description="writes without asking"),
        ],
    )


def commands(*names):
    out = []
    for i, name in enumerate(names):
        hint = schema.AvailableCommandInput(root=schema.UnstructuredCommandInput(hint=f"what to {name}")) if i == 0 else None
        out.append(schema.AvailableCommand(name=name, description=f"does {name}", input=hint))
    return helpers.update_available_commands(out)


class Session:
    def __init__(self, ident, cwd, mcp):
        self.id, self.cwd, self.mcp = ident, cwd, mcp or []
        self.mode = "ask"
        self.cancelled = asyncio.Event()


class Agent(acp.Agent):
    def __init__(self):
        self.sessions = {}

    def on_connect(self, conn):
        self.conn = conn

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        self.version, self.can, self.client = protocol_version, client_capabilities, client_info
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="interop-py", title="Interop (Python)", version="1.0.0"),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, embedded_context=True),
                session_capabilities=schema.SessionCapabilities(list=schema.SessionListCapabilities()),
            ),
        )

    async def new_session(self, cwd, additional_directories=None, mcp_servers=None, **_):
        s = Session(f"py-{len(self.sessions) + 1}", cwd, mcp_servers)
        self.sessions[s.id] = s
        # Before the answer: the client does not know this session yet.
        await self.conn.session_update(s.id, commands("early"))
        return acp.NewSessionResponse(session_id=s.id, modes=modes("ask"))

    async def load_session(self, cwd, session_id, mcp_servers=None, additional_directories=None, **_):
        if session_id != EARLIER:
            raise acp.RequestError.resource_not_found(session_id)
        self.sessions[session_id] = Session(session_id, cwd, mcp_servers)
        for update in (
            helpers.update_user_message_text("what was "),
            helpers.update_user_message_text("asked"),
            helpers.update_agent_message_text("what was answered"),
        ):
            await self.conn.session_update(session_id, update)
        return acp.LoadSessionResponse(modes=modes("code"))

    async def list_sessions(self, cwd=None, cursor=None, **_):
        if cursor is None:
            first = schema.SessionInfo(session_id=EARLIER, cwd="/tmp", title="An earlier one", updated_at="2026-01-02T03:04:05Z")
            return schema.ListSessionsResponse(sessions=[first], next_cursor="page two")
        if cursor == "page two":
            return schema.ListSessionsResponse(sessions=[schema.SessionInfo(session_id="oldest", cwd="/tmp")])
        raise acp.RequestError.invalid_params({"cursor": cursor})

    async def set_session_mode(self, session_id, mode_id, **_):
        if mode_id not in ("ask", "code"):
            raise acp.RequestError.invalid_params({"modeId": mode_id})
        self.sessions[session_id].mode = mode_id

    async def cancel(self, session_id, **_):
        self.sessions[session_id].cancelled.set()

    async def prompt(self, session_id, prompt, **_):
        s = self.sessions.get(session_id)
        if s is None:
            raise acp.RequestError.invalid_params({"sessionId": session_id})
        s.cancelled.clear()
        turn = Turn(self, s, prompt)
        word, _, rest = prompt[0].text.partition(" ")
        act = WORDS.get(word)
        if act is None:
            await turn.fail(f"no such word: {word}")
        else:
            await act(turn, rest)
        return acp.PromptResponse(stop_reason=turn.stop)


class Turn:
    """One prompt being answered."""

    def __init__(self, agent, session, prompt):
        self.agent, self.conn, self.session, self.prompt = agent, agent.conn, session, prompt
        self.id, self.stop = session.id, "end_turn"

    async def update(self, update):
        await self.conn.session_update(self.id, update)

    async def say(self, *chunks):
        for c in chunks:
            await self.update(helpers.update_agent_message_text(c))

    async def fail(self, text):
        await self.say(f"FAIL: {text}\n")

    async def equal(self, what, got, want):
        if got != want:
            await self.fail(f"{what}: got {got!r}, want {want!r}")

    async def refused(self, what, call, *codes):
        """Checks for an error with one of the codes."""
        try:
            await self.fail(f"{what}: no error but {await call!r}")
        except acp.RequestError as e:
            if e.code not in codes:
                await self.fail(f"{what}: {e.code} {e}, want {codes}")

    def path(self, name):
        return os.path.join(self.session.cwd, name)

    async def ask_for(self, ident, path, before, after):
        """Asks for permission to change a file."""
        await self.update(helpers.start_tool_call(ident, f"Change {path}", kind="edit", status="pending"))
        call = schema.ToolCallUpdate(tool_call_id=ident, content=[helpers.tool_diff_content(path, after, before)])
        options = [
            schema.PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
            schema.PermissionOption(option_id="always", name="Always", kind="allow_always"),
            schema.PermissionOption(option_id="no", name="No", kind="reject_once"),
        ]
        outcome = (await self.conn.request_permission(self.id, call, options)).outcome
        return outcome.option_id if outcome.outcome == "selected" else outcome.outcome

    async def done(self, ident, status):
        await self.update(helpers.update_tool_call(ident, status=status))

    async def start(self, line, **more):
        """Runs a shell line; returns None if that is not allowed."""
        try:
            created = await self.conn.create_terminal(self.id, "sh", args=["-c", line], **more)
        except acp.RequestError as e:
            await self.equal("terminal/create", e.code, -32603)
            await self.say("refused")
            return None
        content = [helpers.tool_terminal_ref(created.terminal_id)]
        await self.update(helpers.start_tool_call("run-1", line, kind="execute", status="in_progress", content=content))
        return created.terminal_id

    async def ended(self, ident):
        code = await self.conn.wait_for_terminal_exit(self.id, ident)
        out = await self.conn.terminal_output(self.id, ident)
        if out.exit_status is None:
            await self.fail("no exit status in the output of a command that has ended")
        return code, out

    async def release(self, ident):
        """Releases the terminal and checks that it is gone."""
        await self.conn.release_terminal(self.id, ident)
        await self.refused("output after the release", self.conn.terminal_output(self.id, ident), -32002, -32602)
        await self.done("run-1", "completed")


async def hello(t, _):
    await t.say("hello ", "from ", "py")


async def echo(t, rest):
    await t.say(rest)


async def burst(t, rest):
    for i in range(int(rest)):
        await t.say(f"{i} ")


async def session(t, _):
    a, s = t.agent, t.session
    out = f"client={a.client.name} {a.client.version} version={a.version}"
    flags = [str(f).lower() for f in (a.can.fs.read_text_file, a.can.fs.write_text_file, a.can.terminal)]
    out += f" fs={flags[0]},{flags[1]} terminal={flags[2]} mode={s.mode} cwd={s.cwd}"
    for m in s.mcp:
        out += f" mcp={m.name}:{m.command}:{','.join(m.args)}" + "".join(f":{e.name}={e.value}" for e in m.env)
    await t.say(out)


async def blocks(t, _):
    out = []
    for b in t.prompt:
        if b.type == "text":
            out.append("text")
        elif b.type == "resource_link":
            out.append(f"link {b.name} {b.uri}")
        else:
            await t.fail(f"an unexpected block: {b!r}")
    await t.say("|".join(out))


async def think(t, _):
    for c in ("let me ", "think"):
        await t.update(helpers.update_agent_thought_text(c))
    await t.say("thought")


async def tool(t, _):
    path = t.path("notes.txt")
    await t.update(helpers.start_tool_call(
        "edit-1", "Edit notes.txt", kind="edit", status="in_progress", raw_input={"path": path},
        locations=[schema.ToolCallLocation(path=path, line=2)], content=[helpers.tool_diff_content(path, "new\n", "old\n")]))
    await t.update(helpers.update_tool_call("edit-1", status="completed", raw_output={"ok": True}))
    await t.update(helpers.start_tool_call("new-1", "Make it", kind="edit", content=[
        helpers.tool_content(helpers.text_block("a new file")), helpers.tool_diff_content(t.path("new.txt"), "first\n")]))
    await t.update(helpers.update_tool_call("new-1", status="failed", title="Could not make it"))
    await t.say("edited")


async def plan(t, _):
    def step(content, status):
        return helpers.plan_entry(content, priority="high", status=status)

    await t.update(helpers.update_plan([step("look", "in_progress"), step("leap", "pending"), step("rest", "pending")]))
    await t.update(helpers.update_plan([step("look", "completed"), step("leap", "in_progress")]))
    await t.say("planned")


async def list_commands(t, _):
    await t.update(commands("test", "plain"))
    await t.say("listed")


async def mode(t, _):
    await t.update(helpers.update_current_mode("code"))
    await t.say("switched")


async def info(t, _):
    await t.update(schema.SessionInfoUpdate(session_update="session_info_update", title="A title"))
    cost = schema.Cost(amount=0.5, currency="EUR")
    await t.update(schema.UsageUpdate(session_update="usage_update", used=1200, size=8000, cost=cost))
    await t.say("told")


async def content(t, _):
    for block in (
        helpers.image_block("iVBORw0KGgo=", "image/png"),
        helpers.resource_link_block("notes", "file:///notes.txt"),
        helpers.resource_block(helpers.embedded_text_resource("file:///embedded.txt", "inside", mime_type="text/plain")),
    ):
        await t.update(helpers.update_agent_message(block))
    await t.say("shown")


async def ask(t, _):
    outcome = await t.ask_for("ask-1", t.path("asked.txt"), None, "asked\n")
    await t.done("ask-1", "completed" if outcome in ("yes", "always") else "failed")
    await t.say(f"outcome: {outcome}")


async def edit(t, _):
    """Writes what was allowed."""
    path, text = t.path("notes.txt"), "one\ntwo\nTHREE\n"
    outcome = await t.ask_for("edit-2", path, "one\ntwo\nthree\n", text)
    if outcome != "yes":
        await t.done("edit-2", "failed")
        return await t.say(f"left alone: {outcome}")
    await t.conn.write_text_file(t.id, path, text)
    await t.equal("what was written", (await t.conn.read_text_file(t.id, path)).content, text)
    await t.done("edit-2", "completed")
    await t.say("written")


async def read(t, _):
    """Expects notes.txt with three lines."""
    path = t.path("notes.txt")
    for what, window, want in (
        ("the whole file", {}, "one\ntwo\nthree\n"),
        ("from line 2", {"line": 2}, "two\nthree\n"),
        ("line 2", {"line": 2, "limit": 1}, "two\n"),
        ("behind the end", {"line": 9, "limit": 1}, ""),
    ):
        await t.equal(what, (await t.conn.read_text_file(t.id, path, **window)).content, want)
    await t.refused("a file that does not exist", t.conn.read_text_file(t.id, t.path("missing.txt")), -32002)
    await t.refused("a relative path", t.conn.read_text_file(t.id, "notes.txt"), -32602)
    await t.say("read")


async def write(t, _):
    path, text = t.path("made/by.txt"), "grüße\u2028and 🎉\r\nno end"
    try:
        await t.conn.write_text_file(t.id, path, text)
    except acp.RequestError as e:
        await t.equal("write", e.code, -32603)
        return await t.say("refused")
    await t.equal("what was written", (await t.conn.read_text_file(t.id, path)).content, text)
    await t.say("written")


async def outside(t, path):
    try:
        await t.say("outside: " + (await t.conn.read_text_file(t.id, path)).content)
    except acp.RequestError as e:
        await t.equal("read", e.code, -32603)
        await t.say("refused")


async def terminal(t, _):
    cwd = t.path("sub")
    ident = await t.start(
        "printf '%s|%s\\n' \"$GREETING\" \"$PWD\"; printf 'bad\\n' >&2; exit 3",
        cwd=cwd, env=[schema.EnvVariable(name="GREETING", value="hi there")])
    if ident is None:
        return
    code, out = await t.ended(ident)
    await t.equal("exit", (code.exit_code, code.signal), (3, None))
    await t.equal("output", (out.output, out.truncated), (f"hi there|{cwd}\nbad\n", False))
    await t.release(ident)
    await t.say("ran")


async def limit(t, _):
    """Checks that only the end of a long output is kept."""
    ident = await t.start("printf '0123456789ABCDE'", output_byte_limit=5)
    if ident is None:
        return
    _, out = await t.ended(ident)
    await t.equal("output", (out.output, out.truncated), ("ABCDE", True))
    await t.release(ident)
    await t.say("ran")


async def kill(t, _):
    ident = await t.start("printf 'begun\\n'; exec sleep 300")
    if ident is None:
        return
    shown = ""
    while "begun" not in shown:
        out = await t.conn.terminal_output(t.id, ident)
        if out.exit_status is not None:
            return await t.fail(f"an exit status while it runs: {out!r}")
        shown = out.output
    await t.conn.kill_terminal(t.id, ident)
    code, out = await t.ended(ident)
    if not code.signal or code.exit_code is not None:
        await t.fail(f"exit {code!r}, want a signal")
    await t.equal("output", out.output, "begun\n")
    await t.release(ident)
    await t.say("killed")


async def wait(t, _):
    await t.say("waiting")
    await t.session.cancelled.wait()
    await t.say(" no more")
    t.stop = "cancelled"


async def linger(t, _):
    """Asks a question that is still open when the user cancels."""
    await t.equal("outcome", await t.ask_for("ask-1", t.path("asked.txt"), None, "asked\n"), "cancelled")
    await t.session.cancelled.wait()
    t.stop = "cancelled"


async def fail(t, _):
    raise acp.RequestError(-32603, "the agent says no")


async def refuse(t, _):
    t.stop = "refusal"


WORDS = {f.__name__: f for f in (
    hello, echo, burst, session, blocks, think, tool, plan, mode, info, content, ask, edit, read, write, outside,
    terminal, limit, kill, wait, linger, fail, refuse)}
WORDS["commands"] = list_commands

if __name__ == "__main__":
    asyncio.run(acp.run_agent(Agent()))
