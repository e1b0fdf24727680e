// The agent in ACP v1.
import { picture, shared, Turn } from "./turn.mjs";

const earlier = "earlier";
const modes = (currentModeId) => ({
  currentModeId,
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code", description: "writes without asking" },
  ],
});
const commands = (...names) => ({
  sessionUpdate: "available_commands_update",
  availableCommands: names.map((name, i) => ({
    name,
    description: `does ${name}`,
    ...(i === 0 ? { input: { hint: `what to ${name}` } } : {}),
  })),
});
const text = (text) => ({ type: "text", text });

class V1Turn extends Turn {
  async say(...chunks) {
    for (const c of chunks) await this.update({ sessionUpdate: "agent_message_chunk", content: text(c) });
  }

  request(method, params) {
    return this.client.request(method, { sessionId: this.id, ...params });
  }

  // askFor asks for permission to change a file.
  async askFor(toolCallId, path, oldText, newText) {
    await this.update({ sessionUpdate: "tool_call", toolCallId, title: `Change ${path}`, kind: "edit", status: "pending" });
    const diff = { type: "diff", path, newText, ...(oldText ? { oldText } : {}) };
    const { outcome } = await this.request("session/request_permission", {
      toolCall: { toolCallId, content: [diff] },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }

  done(toolCallId, status) {
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, status });
  }

  // start runs a shell line; it returns undefined if that is not allowed.
  async start(line, more) {
    let handle;
    try {
      handle = await this.client.createTerminal({ sessionId: this.id, command: "sh", args: ["-c", line], ...more });
    } catch (e) {
      await this.equal("terminal/create", e.code, -32603);
      await this.say("refused");
      return;
    }
    const content = [{ type: "terminal", terminalId: handle.id }];
    await this.update({ sessionUpdate: "tool_call", toolCallId: "run-1", title: line, kind: "execute", status: "in_progress", content });
    return handle;
  }

  async ended(handle) {
    const exit = await this.check("terminal/wait_for_exit", handle.waitForExit());
    const out = await this.check("terminal/output", handle.currentOutput());
    if (!out?.exitStatus) await this.fail("no exit status in the output of a command that has ended");
    return { exit, out };
  }

  // release releases the terminal and checks that it is gone.
  async release(handle) {
    await this.check("terminal/release", handle.release());
    await this.refused("output after the release", handle.currentOutput(), -32002, -32602);
    await this.done("run-1", "completed");
  }
}

const words = {
  ...shared,
  async session(t) {
    const { clientInfo: c, clientCapabilities: can, protocolVersion } = t.session.agent.client;
    let out = `client=${c?.name} ${c?.version} version=${protocolVersion} fs=${can.fs.readTextFile},${can.fs.writeTextFile}`;
    out += ` terminal=${can.terminal} mode=${t.session.mode} cwd=${t.session.cwd}`;
    for (const m of t.session.mcp) {
      out += ` mcp=${m.name}:${m.command}:${m.args.join(",")}` + m.env.map((e) => `:${e.name}=${e.value}`).join("");
    }
    await t.say(out);
  },
  async think(t) {
    for (const c of ["let me ", "think"]) await t.update({ sessionUpdate: "agent_thought_chunk", content: text(c) });
    await t.say("thought");
  },
  async tool(t) {
    const path = t.path("notes.txt");
    await t.update({
      sessionUpdate: "tool_call", toolCallId: "edit-1", title: "Edit notes.txt", kind: "edit", status: "in_progress",
      locations: [{ path, line: 2 }], rawInput: { path }, content: [{ type: "diff", path, oldText: "old\n", newText: "new\n" }],
    });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "edit-1", status: "completed", rawOutput: { ok: true } });
    await t.update({
      sessionUpdate: "tool_call", toolCallId: "new-1", title: "Make it", kind: "edit",
      content: [{ type: "content", content: text("a new file") }, { type: "diff", path: t.path("new.txt"), oldText: null, newText: "first\n" }],
    });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "new-1", status: "failed", title: "Could not make it" });
    await t.say("edited");
  },
  async plan(t) {
    const step = (content, status) => ({ content, priority: "high", status });
    await t.update({ sessionUpdate: "plan", entries: [step("look", "in_progress"), step("leap", "pending"), step("rest", "pending")] });
    await t.update({ sessionUpdate: "plan", entries: [step("look", "completed"), step("leap", "in_progress")] });
    await t.say("planned");
  },
  async commands(t) {
    await t.update(commands("test", "plain"));
    await t.say("listed");
  },
  async mode(t) {
    await t.update({ sessionUpdate: "current_mode_update", currentModeId: "code" });
    await t.say("switched");
  },
  async content(t) {
    for (const content of [
      { type: "image", data: picture, mimeType: "image/png" },
      { type: "resource_link", name: "notes", uri: "file:///notes.txt" },
      { type: "resource", resource: { uri: "file:///embedded.txt", text: "inside", mimeType: "text/plain" } },
    ]) await t.update({ sessionUpdate: "agent_message_chunk", content });
    await t.say("shown");
  },
  async ask(t) {
    const outcome = await t.check("ask", t.askFor("ask-1", t.path("asked.txt"), "", "asked\n"));
    await t.done("ask-1", outcome === "yes" || outcome === "always" ? "completed" : "failed");
    await t.say(`outcome: ${outcome}`);
  },
  // edit writes what was allowed.
  async edit(t) {
    const [path, content] = [t.path("notes.txt"), "one\ntwo\nTHREE\n"];
    const outcome = await t.check("ask", t.askFor("edit-2", path, "one\ntwo\nthree\n", content));
    if (outcome !== "yes") {
      await t.done("edit-2", "failed");
      return t.say(`left alone: ${outcome}`);
    }
    await t.check("write", t.request("fs/write_text_file", { path, content }));
    const read = await t.check("read again", t.request("fs/read_text_file", { path }));
    await t.equal("what was written", read?.content, content);
    await t.done("edit-2", "completed");
    await t.say("written");
  },
  // read expects notes.txt with three lines.
  async read(t) {
    const path = t.path("notes.txt");
    for (const [what, window, want] of [
      ["the whole file", {}, "one\ntwo\nthree\n"],
      ["from line 2", { line: 2 }, "two\nthree\n"],
      ["line 2", { line: 2, limit: 1 }, "two\n"],
      ["behind the end", { line: 9, limit: 1 }, ""],
    ]) {
      const read = await t.check(what, t.request("fs/read_text_file", { path, ...window }));
      await t.equal(what, read?.content, want);
    }
    await t.refused("a file that does not exist", t.request("fs/read_text_file", { path: t.path("missing.txt") }), -32002);
    await t.refused("a relative path", t.request("fs/read_text_file", { path: "notes.txt" }), -32602);
    await t.say("read");
  },
  async write(t) {
    const [path, content] = [t.path("made/by.txt"), "grüße\u2028and 🎉\r\nno end"];
    try {
      await t.request("fs/write_text_file", { path, content });
    } catch (e) {
      await t.equal("write", e.code, -32603);
      return t.say("refused");
    }
    const read = await t.check("read again", t.request("fs/read_text_file", { path }));
    await t.equal("what was written", read?.content, content);
    await t.say("written");
  },
  async outside(t, path) {
    try {
      const { content } = await t.request("fs/read_text_file", { path });
      await t.say(`outside: ${content}`);
    } catch (e) {
      await t.equal("read", e.code, -32603);
      await t.say("refused");
    }
  },
  async terminal(t) {
    const cwd = t.path("sub");
    const handle = await t.start(`printf '%s|%s\\n' "$GREETING" "$PWD"; printf 'bad\\n' >&2; exit 3`, {
      cwd, env: [{ name: "GREETING", value: "hi there" }],
    });
    if (!handle) return;
    const { exit, out } = await t.ended(handle);
    await t.equal("exit", [exit?.exitCode, exit?.signal ?? null], [3, null]);
    await t.equal("exit status", out?.exitStatus?.exitCode, 3);
    await t.equal("output", out?.output, `hi there|${cwd}\nbad\n`);
    await t.equal("truncated", out?.truncated, false);
    await t.release(handle);
    await t.say("ran");
  },
  // limit checks that only the end of a long output is kept.
  async limit(t) {
    const handle = await t.start("printf '0123456789ABCDE'", { outputByteLimit: 5 });
    if (!handle) return;
    const { out } = await t.ended(handle);
    await t.equal("output", [out?.output, out?.truncated], ["ABCDE", true]);
    await t.release(handle);
    await t.say("ran");
  },
  async kill(t) {
    const handle = await t.start("printf 'begun\\n'; exec sleep 300", {});
    if (!handle) return;
    for (let shown = ""; !shown.includes("begun"); ) {
      const out = await handle.currentOutput();
      if (out.exitStatus) return t.fail(`an exit status while it runs: ${JSON.stringify(out)}`);
      shown = out.output;
    }
    await t.check("terminal/kill", handle.kill());
    const { exit, out } = await t.ended(handle);
    if (!exit?.signal || exit.exitCode != null) await t.fail(`exit ${JSON.stringify(exit)}, want a signal`);
    await t.equal("output", out?.output, "begun\n");
    await t.release(handle);
    await t.say("killed");
  },
  // linger asks a question that is still open when the user cancels.
  async linger(t) {
    const outcome = await t.check("ask", t.askFor("ask-1", t.path("asked.txt"), "", "asked\n"));
    await t.equal("outcome", outcome, "cancelled");
    await t.cancelled;
    t.stop = "cancelled";
  },
};

export function build(acp) {
  const agent = { client: undefined, sessions: new Map() };
  const open = (id, { cwd, mcpServers }) => agent.sessions.set(id, { id, agent, cwd, mcp: mcpServers, mode: "ask", cancel: undefined });
  const known = (id) => {
    const s = agent.sessions.get(id);
    if (!s) throw acp.RequestError.invalidParams({ sessionId: id });
    return s;
  };
  const { agent: m } = acp.methods;
  words.fail = () => {
    throw new acp.RequestError(-32603, "the agent says no");
  };
  return acp
    .agent({ name: "interop-ts" })
    .onRequest(m.initialize, ({ params }) => {
      agent.client = params;
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: "interop-ts", title: "Interop (TypeScript)", version: "1.0.0" },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
      };
    })
    .onRequest(m.session.new, async ({ params, client }) => {
      const sessionId = `ts-${agent.sessions.size + 1}`;
      open(sessionId, params);
      // Before the answer: the client does not know this session yet.
      await client.notify("session/update", { sessionId, update: commands("early") });
      return { sessionId, modes: modes("ask") };
    })
    .onRequest(m.session.load, async ({ params, client }) => {
      const { sessionId } = params;
      if (sessionId !== earlier) throw acp.RequestError.resourceNotFound(sessionId);
      open(sessionId, params);
      for (const [sessionUpdate, content] of [
        ["user_message_chunk", text("what was ")],
        ["user_message_chunk", text("asked")],
        ["agent_message_chunk", text("what was answered")],
      ]) await client.notify("session/update", { sessionId, update: { sessionUpdate, content } });
      return { modes: modes("code") };
    })
    .onRequest(m.session.resume, ({ params }) => {
      if (params.sessionId !== earlier) throw acp.RequestError.invalidParams({ sessionId: params.sessionId });
      open(params.sessionId, params);
      return { modes: modes("code") };
    })
    .onRequest(m.session.list, ({ params }) => {
      if (params.cursor == null) {
        const first = { sessionId: earlier, cwd: "/tmp", title: "An earlier one", updatedAt: "2026-01-02T03:04:05Z" };
        return { sessions: [first], nextCursor: "page two" };
      }
      if (params.cursor === "page two") return { sessions: [{ sessionId: "oldest", cwd: "/tmp" }] };
      throw acp.RequestError.invalidParams({ cursor: params.cursor });
    })
    .onRequest(m.session.close, ({ params }) => {
      agent.sessions.delete(params.sessionId);
      return {};
    })
    .onRequest(m.session.setMode, ({ params }) => {
      if (!["ask", "code"].includes(params.modeId)) throw acp.RequestError.invalidParams({ modeId: params.modeId });
      known(params.sessionId).mode = params.modeId;
      return {};
    })
    .onNotification(m.session.cancel, ({ params }) => known(params.sessionId).cancel?.())
    .onRequest(m.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const turn = new V1Turn(known(sessionId), params.prompt, client, (update) => client.notify("session/update", { sessionId, update }));
      return { stopReason: await turn.run(words) };
    });
}
