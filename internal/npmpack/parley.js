#!/usr/bin/env node
// Starts the parley of this platform, which npm has installed beside this package.
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const name = `${require("../package.json").name}-${platform}`;
let program;
try {
  program = require.resolve(`${name}/bin/parley${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`parley: ${name} is not installed: there is no parley for ${platform}, or npm was told to leave out optional dependencies`);
  process.exit(1);
}

const args = process.argv.slice(2);
if (typeof process.execve === "function" && process.platform !== "win32") {
  process.execve(program, [program, ...args], process.env);
}
// ctrl+c reaches the program, too, which decides what it means.
process.on("SIGINT", () => {});
const child = spawn(program, args, { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`parley: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
