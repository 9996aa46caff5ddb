"use strict";
// Loaded before the program: ends it by a signal at the n-th look into a file below a directory. Tells of every look whether
// something had a name in the temporary directory then.
const fs = require("node:fs");
const { tmpdir } = require("node:os");

const { INTERRUPT_BELOW, INTERRUPT_AT, INTERRUPT_BY } = process.env;
let looks = "";

for (const name of ["openSync", "copyFileSync"]) {
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    const result = original(path, ...rest);
    if (!String(path).startsWith(INTERRUPT_BELOW)) return result;
    looks += fs.readdirSync(tmpdir()).length === 0 ? "-" : "n";
    if (looks.length === Number(INTERRUPT_AT)) process.kill(process.pid, INTERRUPT_BY);
    return result;
  };
}

process.on("exit", () => fs.writeSync(2, `looks: ${looks}\n`));
