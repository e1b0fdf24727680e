// What the clients on @agentclientprotocol/sdk have in common: the SDK of the directory MODULES, which is their
// first argument, its connection to an agent, and the JSON line for each item that a client receives.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , modules] = process.argv;
const require = createRequire(path.join(modules, "index.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
export const acp = await load("@agentclientprotocol/sdk");

// $TOKEN, if set, is sent as a bearer token.
const headers = process.env.TOKEN ? { Authorization: `Bearer ${process.env.TOKEN}` } : undefined;

// dial connects to a URL by http or ws, or starts a program for stdio.
export async function dial(profile, target, args) {
  if (profile === "stdio") {
    const child = spawn(target, args, { stdio: ["pipe", "pipe", "inherit"] });
    return acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  }
  if (profile === "http") {
    const { createHttpStream } = await load("@agentclientprotocol/sdk/experimental/http-client");
    return createHttpStream(target, { headers });
  }
  const { createWebSocketStream } = await load("@agentclientprotocol/sdk/experimental/ws-client");
  return createWebSocketStream(target, { headers, WebSocket: require("ws").WebSocket });
}

// note prints one item.
export const note = (session, got, value) => process.stdout.write(JSON.stringify({ session, got, value }) + "\n");
