// A client on the remote transports of @agentclientprotocol/sdk, for an agent
// that is served at a URL. It plays one script with the agent of goagent and
// prints a JSON line for each item that it receives: its session ("" for none),
// its kind, and the value as the SDK returns it. Updates, requests and answers of
// a session are each in order, but the SDK keeps no order between them.
//
//   node client.mjs MODULES http|ws URL DIRECTORY
//
// MODULES is the directory of the installed SDK, DIRECTORY that of the sessions,
// which contains notes.txt. $TOKEN, if set, is sent as a bearer token.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { acp, dial, note } from "./dial.mjs";

const [, , , profile, url, cwd] = process.argv;
const { agent: agentMethods, client: clientMethods } = acp.methods;

// Promises that resolve when the agent sends a text.
const waiting = new Map();
const said = (session, text) => new Promise((resolve) => waiting.set(session + " " + text, resolve));

function update({ params: { sessionId, update } }) {
  note(sessionId, "update", update);
  const key = `${sessionId} ${update.content?.text}`;
  waiting.get(key)?.();
  waiting.delete(key);
}

async function read({ params: { sessionId, path: file, line, limit } }) {
  note(sessionId, "read", { file: path.basename(file), line: line ?? 0, limit: limit ?? 0 });
  if (!path.isAbsolute(file)) throw new acp.RequestError(-32602, "Invalid params: the path is relative");
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch {
    throw new acp.RequestError(-32002, "Resource not found");
  }
  const lines = text.split(/(?<=\n)/);
  const from = (line ?? 1) - 1;
  return { content: lines.slice(from, limit == null ? undefined : from + limit).join("") };
}

async function write({ params: { sessionId, path: file, content } }) {
  note(sessionId, "write", { file: path.basename(file), content });
  await writeFile(file, content);
  return {};
}

function ask({ params: { sessionId, toolCall, options } }) {
  note(sessionId, "asked", { tool: toolCall.toolCallId, options: options.map((o) => o.optionId) });
  return { outcome: { outcome: "selected", optionId: "yes" } };
}

async function play(agent) {
  const call = async (session, method, params) => {
    try {
      const result = await agent.request(method, params);
      note(session, method, result ?? null);
      return result;
    } catch (e) {
      note(session, method, { code: e.code ?? 0, message: e.message });
      return {};
    }
  };
  const prompt = (sessionId, text) => call(sessionId, agentMethods.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  const cancel = (sessionId) => agent.notify(agentMethods.session.cancel, { sessionId });

  const agreed = await agent.request(agentMethods.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "interop", version: "1.2.3" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  note("", "initialize", { version: agreed.protocolVersion, agent: agreed.agentInfo.name, load: agreed.agentCapabilities.loadSession });
  const first = (await call("", agentMethods.session.new, { cwd, mcpServers: [] })).sessionId;
  for (const text of ["hello", "session", "ask", "read", "edit", "fail", "burst 200", "echo " + "é漢🎉x".repeat(20_000)]) await prompt(first, text);

  let waits = said(first, "waiting");
  let turn = prompt(first, "wait");
  await waits;
  await cancel(first);
  await turn;
  await prompt(first, "hello");

  const second = (await call("", agentMethods.session.new, { cwd, mcpServers: [] })).sessionId;
  waits = said(first, "waiting");
  turn = prompt(first, "wait");
  await waits;
  await prompt(second, "hello");
  await cancel(first);
  await turn;
  await call(second, agentMethods.session.setMode, { sessionId: second, modeId: "code" });
  await call(second, agentMethods.session.close, { sessionId: second });

  await call("", agentMethods.session.list, {});
  await call("", agentMethods.session.list, { cursor: "page two" });
  await call("", agentMethods.session.load, { sessionId: "never was", cwd, mcpServers: [] });
  const told = said("earlier", "what was answered");
  await call("", agentMethods.session.load, { sessionId: "earlier", cwd, mcpServers: [] });
  await told;
  await prompt("earlier", "hello");
}

await acp
  .client({ name: "interop" })
  .onRequest(clientMethods.session.requestPermission, ask)
  .onRequest(clientMethods.fs.readTextFile, read)
  .onRequest(clientMethods.fs.writeTextFile, write)
  .onNotification(clientMethods.session.update, update)
  .connectWith(await dial(profile, url), play);
