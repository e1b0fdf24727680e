// An ACP agent on @agentclientprotocol/sdk: v1, or the experimental v2 with
// --v2. The first word of the prompt chooses what it does; see package
// interop. It reports unexpected input as "FAIL: …".
//
// Its first argument is the directory of the installed SDK: nothing is installed
// beside this file.
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , modules, flag] = process.argv;
const { resolve } = createRequire(path.join(modules, "index.js"));
const load = (name) => import(pathToFileURL(resolve(name)));

const v2 = flag === "--v2";
const acp = await load("@agentclientprotocol/sdk" + (v2 ? "/experimental/v2" : ""));
const { build } = await import(v2 ? "./v2.mjs" : "./v1.mjs");
build(acp).connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
