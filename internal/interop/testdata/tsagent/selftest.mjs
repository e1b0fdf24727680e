// Drives the v2 agent with the SDK's own client, so that a change of the draft
// shows here and is not mistaken for a bug in parley. Usage:
//
//   node selftest.mjs MODULES AGENT
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , modules, agentFile] = process.argv;
const { resolve } = createRequire(path.join(modules, "index.js"));
const acp = await import(pathToFileURL(resolve("@agentclientprotocol/sdk/experimental/v2")));

const child = spawn(process.execPath, [agentFile, modules, "--v2"], { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
let answer = { outcome: "cancelled" };
let onAsked = () => {};

const app = acp.client({ name: "selftest" }).onRequest(acp.methods.client.session.requestPermission, async () => {
  await onAsked();
  return { outcome: answer };
});

// play sends a prompt and collects updates until the agent is idle.
async function play(session, prompt, onUpdate = () => {}) {
  await session.prompt(prompt);
  const updates = [];
  for (;;) {
    const m = await session.nextUpdate();
    if (m.kind === "stop") {
      if (m.stopReason == null) continue;
      const said = updates.filter((u) => u.sessionUpdate === "agent_message_chunk").map((u) => u.content.text);
      return { stop: m.stopReason, text: said.join(""), updates, update: m.update };
    }
    updates.push(m.update);
    await onUpdate(m.update);
  }
}

await app.connectWith(stream, async (ctx) => {
  const init = await ctx.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, info: { name: "selftest", version: "1" } });
  assert.equal(init.protocolVersion, 2);
  const session = await ctx.buildSession("/tmp").start();
  for (const [prompt, text] of [
    ["hello", "hello from ts"], ["echo a  b", "a  b"], ["think", "thought"], ["tool", "edited"], ["plan", "planned"],
    ["commands", "listed"], ["mode", "switched"], ["info", "told"], ["content", "shown"], ["terminal", "ran"],
    ["ask", "outcome: cancelled"], ["session", "client=selftest 1 version=2 mode=ask cwd=/tmp"],
  ]) {
    const got = await play(session, prompt);
    assert.deepEqual([got.stop, got.text], ["end_turn", text], prompt);
  }
  answer = { outcome: "selected", optionId: "yes" };
  assert.equal((await play(session, "ask")).text, "outcome: yes");
  const cancel = () => ctx.notify("session/cancel", { sessionId: session.sessionId });
  const waited = await play(session, "wait", (u) => (u.sessionUpdate === "agent_message_chunk" ? cancel() : undefined));
  assert.equal(waited.stop, "cancelled");
  answer = { outcome: "cancelled" };
  onAsked = cancel;
  assert.equal((await play(session, "linger")).stop, "cancelled");
  const failed = await play(session, "fail");
  assert.deepEqual([failed.stop, failed.update.error.message], ["error", "the agent says no"]);
  const list = await ctx.request("session/list", {});
  assert.equal(list.sessions[0].sessionId, "earlier");
  const set = await session.setConfigOption({ configId: "mode", type: "id", value: "code" });
  assert.equal(set.configOptions[0].currentValue, "code");
});
child.stdin.end();
console.log("ok");
