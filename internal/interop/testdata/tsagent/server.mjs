// The agent of agent.mjs on the SDK's own server: Streamable HTTP and WebSocket
// at one path. It prints its URL in a line and ends with its stdin.
//
// Its first argument is the directory of the installed SDK.
import { createRequire } from "node:module";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , modules, flag] = process.argv;
const require = createRequire(path.join(modules, "index.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)));

const v2 = flag === "--v2";
const acp = await load("@agentclientprotocol/sdk" + (v2 ? "/experimental/v2" : ""));
const { build } = await import(v2 ? "./v2.mjs" : "./v1.mjs");
const { AcpServer } = await load("@agentclientprotocol/sdk/experimental/server");
const { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } = await load("@agentclientprotocol/sdk/experimental/node");
const { WebSocketServer } = require("ws");

const agents = new AcpServer({ createAgent: () => build(acp) });
const server = http.createServer(createNodeHttpHandler(agents));
server.on("upgrade", createNodeWebSocketUpgradeHandler(agents, new WebSocketServer({ noServer: true })));
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/acp`));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
