"use strict";
// Loaded before the program: kills it at its n-th call of the file system, or prints how many calls there were.
const fs = require("node:fs");

const at = Number(process.env["KILL_AT"]);
let calls = 0;

for (const name of Object.keys(fs)) {
  if (!name.endsWith("Sync") || name === "writeFileSync" || name === "readFileSync") continue;
  const original = fs[name];
  fs[name] = Object.assign((...rest) => {
    if (++calls === at) process.kill(process.pid, "SIGKILL");
    return original(...rest);
  }, original);
}

process.on("exit", () => fs.writeSync(2, `calls: ${calls}\n`));
