// A client on @agentclientprotocol/sdk that joins a live session of parley: the first one in the
// list. It prints a JSON line for each item that it receives, as client.mjs does, and does what
// the lines of its standard input say: "prompt TEXT" or "cancel".
//
//   node join.mjs MODULES stdio PARLEY ARG…
//   node join.mjs MODULES http|ws URL
//
// $TOKEN, if set, is sent as a bearer token.
import { createInterface } from "node:readline";
import { acp, dial, note } from "./dial.mjs";

const [, , , profile, target, ...args] = process.argv;
const { agent: agentMethods, client: clientMethods } = acp.methods;

function ask({ params: { sessionId, toolCall, options } }) {
  note(sessionId, "asked", { title: toolCall.title, options: options.map((o) => o.kind) });
  return { outcome: { outcome: "selected", optionId: options.find((o) => o.kind === "allow_once").optionId } };
}

const unwanted = (name) => ({ params }) => {
  note(params.sessionId, name, params);
  return {};
};

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
  await agent.request(agentMethods.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "interop", version: "1.2.3" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  });
  const { sessionId, cwd } = (await call("", agentMethods.session.list, {})).sessions[0];
  await call(sessionId, agentMethods.session.load, { sessionId, cwd, mcpServers: [] });
  for await (const line of createInterface({ input: process.stdin })) {
    const text = line.replace(/^prompt /, "");
    if (line === "cancel") await agent.notify(agentMethods.session.cancel, { sessionId });
    else call(sessionId, agentMethods.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }
}

await acp
  .client({ name: "interop" })
  .onRequest(clientMethods.session.requestPermission, ask)
  .onRequest(clientMethods.fs.readTextFile, unwanted("read"))
  .onRequest(clientMethods.fs.writeTextFile, unwanted("write"))
  .onNotification(clientMethods.session.update, ({ params: { sessionId, update } }) => note(sessionId, "update", update))
  .connectWith(await dial(profile, target, args), play);
process.exit(0);
