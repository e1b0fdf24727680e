// The agent in the draft of ACP v2.
import { picture, shared, Turn } from "./turn.mjs";

const earlier = "earlier";
const config = (currentValue) => [
  {
    configId: "mode", name: "Mode", category: "mode", type: "select", currentValue,
    options: [{ value: "ask", name: "Ask" }, { value: "code", name: "Code", description: "writes without asking" }],
  },
];
const commands = (...names) =>
  names.map((name, i) => ({
    type: "command", name, description: `does ${name}`,
    ...(i === 0 ? { input: { type: "text", hint: `what to ${name}` } } : {}),
  }));
const text = (text) => ({ type: "text", text });
const base64 = (s) => Buffer.from(s).toString("base64");
const patch = `--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old\n+new\n`;

class V2Turn extends Turn {
  messages = 0;

  // say sends one message in several chunks.
  async say(...chunks) {
    const messageId = `${this.message}-${++this.messages}`;
    for (const c of chunks) await this.update({ sessionUpdate: "agent_message_chunk", messageId, content: text(c) });
  }

  state(state, more) {
    return this.update({ sessionUpdate: "state_update", state, ...more });
  }

  async askFor(toolCallId, path) {
    const content = [{ type: "diff", changes: [{ operation: "add", path }] }];
    const toolCall = { toolCallId, title: `Change ${path}`, kind: "edit", status: "pending", content };
    await this.update({ sessionUpdate: "tool_call_update", ...toolCall });
    await this.state("requires_action");
    const { outcome } = await this.client.request("session/request_permission", {
      sessionId: this.id, title: `Change ${path}?`, subject: { type: "tool_call", toolCall },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await this.state("running");
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }
}

const words = {
  ...shared,
  async session(t) {
    const { info, protocolVersion } = t.session.agent.client;
    let out = `client=${info.name} ${info.version} version=${protocolVersion} mode=${t.session.mode} cwd=${t.session.cwd}`;
    for (const m of t.session.mcp) {
      if (m.type !== "stdio") await t.fail(`an MCP server of type ${m.type}`);
      out += ` mcp=${m.name}:${m.command}:${(m.args ?? []).join(",")}` + (m.env ?? []).map((e) => `:${e.name}=${e.value}`).join("");
    }
    await t.say(out);
  },
  async think(t) {
    const messageId = `${t.message}-thought`;
    for (const c of ["let me ", "think"]) await t.update({ sessionUpdate: "agent_thought_chunk", messageId, content: text(c) });
    await t.say("thought");
  },
  async tool(t) {
    const path = t.path("notes.txt");
    await t.update({
      sessionUpdate: "tool_call_update", toolCallId: "edit-1", title: "Edit notes.txt", kind: "edit", status: "in_progress",
      locations: [{ path, line: 2 }], rawInput: { path },
      content: [{ type: "diff", changes: [{ operation: "modify", path }], patch: { format: "git_patch", text: patch } }],
    });
    await t.update({ sessionUpdate: "tool_call_content_chunk", toolCallId: "edit-1", content: { type: "content", content: text("one line") } });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "edit-1", status: "completed", rawOutput: { ok: true } });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "new-1", title: "Make it", kind: "edit", status: "pending" });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "new-1", status: "failed", title: "Could not make it" });
    await t.say("edited");
  },
  async plan(t) {
    const step = (content, status) => ({ content, priority: "high", status });
    const plan = (...entries) => t.update({ sessionUpdate: "plan_update", plan: { type: "items", planId: "main", entries } });
    await plan(step("look", "in_progress"), step("leap", "pending"), step("rest", "pending"));
    await plan(step("look", "completed"), step("leap", "in_progress"));
    await t.say("planned");
  },
  async commands(t) {
    await t.update({ sessionUpdate: "available_commands_update", availableCommands: commands("test", "plain") });
    await t.say("listed");
  },
  async mode(t) {
    await t.update({ sessionUpdate: "config_option_update", configOptions: config("code") });
    await t.say("switched");
  },
  // content sends one complete message, then replaces it.
  async content(t) {
    const messageId = `${t.message}-content`;
    await t.update({ sessionUpdate: "agent_message", messageId, content: [text("to be replaced")] });
    await t.update({
      sessionUpdate: "agent_message", messageId,
      content: [
        { type: "image", data: picture, mimeType: "image/png" },
        { type: "resource_link", name: "notes", uri: "file:///notes.txt" },
        { type: "resource", resource: { uri: "file:///embedded.txt", text: "inside", mimeType: "text/plain" } },
      ],
    });
    await t.say("shown");
  },
  async ask(t) {
    const outcome = await t.check("ask", t.askFor("ask-1", t.path("asked.txt")));
    const status = outcome === "yes" || outcome === "always" ? "completed" : "failed";
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "ask-1", status });
    await t.say(`outcome: ${outcome}`);
  },
  // terminal shows a command that the agent runs itself.
  async terminal(t) {
    await t.update({ sessionUpdate: "terminal_update", terminalId: "term-1", command: "make", cwd: t.session.cwd });
    await t.update({
      sessionUpdate: "tool_call_update", toolCallId: "run-1", title: "make", kind: "execute", status: "in_progress",
      content: [{ type: "terminal", terminalId: "term-1" }],
    });
    for (const c of ["half a ", "line\n"]) await t.update({ sessionUpdate: "terminal_output_chunk", terminalId: "term-1", data: base64(c) });
    await t.update({ sessionUpdate: "terminal_update", terminalId: "term-1", exitStatus: { exitCode: 3 } });
    await t.update({ sessionUpdate: "tool_call_update", toolCallId: "run-1", status: "completed" });
    await t.say("ran");
  },
  async linger(t) {
    const outcome = await t.check("ask", t.askFor("ask-1", t.path("asked.txt")));
    await t.equal("outcome", outcome, "cancelled");
    await t.cancelled;
    t.stop = "cancelled";
  },
  async fail(t) {
    t.stop = "error";
    t.error = { code: -32603, message: "the agent says no" };
  },
};

// work runs one turn, after its prompt was answered.
async function work(turn) {
  await turn.state("running");
  const stopReason = await turn.run(words);
  await turn.state("idle", { stopReason, ...(turn.error ? { error: turn.error } : {}) });
}

export function build(acp) {
  const agent = { client: undefined, sessions: new Map(), prompts: 0 };
  const capabilities = {
    session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {} } },
  };
  const open = (id, { cwd, mcpServers }) => {
    acp.assertSupportedMcpServers(mcpServers, capabilities.session.mcp);
    agent.sessions.set(id, { id, agent, cwd, mcp: mcpServers ?? [], mode: "ask", cancel: undefined, busy: Promise.resolve() });
  };
  const known = (id) => {
    const s = agent.sessions.get(id);
    if (!s) throw acp.RequestError.sessionNotFound(id);
    return s;
  };
  const offered = (mode) => ({ configOptions: config(mode), availableCommands: commands("early") });
  const { agent: m } = acp.methods;
  return acp
    .agent({ name: "interop-ts" })
    .onRequest(m.initialize, ({ params }) => {
      agent.client = params;
      const info = { name: "interop-ts", title: "Interop (TypeScript)", version: "1.0.0" };
      return { protocolVersion: acp.PROTOCOL_VERSION, info, capabilities };
    })
    .onRequest(m.session.new, ({ params }) => {
      const sessionId = `ts-${agent.sessions.size + 1}`;
      open(sessionId, params);
      return { sessionId, ...offered("ask") };
    })
    .onRequest(m.session.resume, async ({ params, client }) => {
      const { sessionId, replayFrom } = params;
      if (sessionId !== earlier) throw acp.RequestError.sessionNotFound(sessionId);
      open(sessionId, params);
      const notify = (update) => client.notify("session/update", { sessionId, update });
      if (replayFrom?.type === "start") {
        await notify({ sessionUpdate: "user_message", messageId: "u1", content: [text("what was asked")] });
        await notify({ sessionUpdate: "agent_message", messageId: "a1", content: [text("what was answered")] });
      }
      await notify({ sessionUpdate: "state_update", state: "idle" });
      return offered("code");
    })
    .onRequest(m.session.list, ({ params }) => {
      if (params.cursor == null) {
        const first = { sessionId: earlier, cwd: "/tmp", title: "An earlier one", updatedAt: "2026-01-02T03:04:05Z" };
        return { sessions: [first], nextCursor: "page two" };
      }
      if (params.cursor === "page two") return { sessions: [{ sessionId: "oldest", cwd: "/tmp" }] };
      throw acp.RequestError.invalidParams({ cursor: params.cursor });
    })
    .onRequest(m.session.setConfigOption, ({ params }) => {
      const { sessionId, configId, type, value } = params;
      if (configId !== "mode" || type !== "id" || !["ask", "code"].includes(value)) throw acp.RequestError.invalidParams({ configId });
      known(sessionId).mode = value;
      return { configOptions: config(value) };
    })
    .onRequest(m.session.close, ({ params }) => {
      agent.sessions.delete(params.sessionId);
      return {};
    })
    .onNotification(m.session.cancel, ({ params }) => known(params.sessionId).cancel?.())
    .onRequest(m.session.prompt, async ({ params, client }) => {
      const { sessionId, prompt } = params;
      const session = known(sessionId);
      await session.busy; // a prompt that arrives meanwhile waits
      const messageId = `u-${++agent.prompts}`;
      const notify = (update) => client.notify("session/update", { sessionId, update });
      await notify({ sessionUpdate: "user_message", messageId, content: prompt });
      const turn = Object.assign(new V2Turn(session, prompt, client, notify), { message: `a-${agent.prompts}` });
      session.busy = new Promise((resolve) => setImmediate(() => resolve(work(turn))));
      return { messageId };
    });
}
