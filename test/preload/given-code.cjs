"use strict";
// Starts a program and tells on stderr for which scripts V8 was given code to use, and whether it took it. Not loaded by an
// option of Node: the program would count as another Node. `GIVEN_CODE_VERSION` makes Node say it is another version.
const { writeSync } = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const { GIVEN_CODE_VERSION } = process.env;
if (GIVEN_CODE_VERSION) Object.defineProperty(process, "version", { value: GIVEN_CODE_VERSION });

const told = {};
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    if (!options?.filename?.endsWith(".cjs")) return;
    told[path.basename(options.filename, ".cjs")] = options.cachedData
      ? this.cachedDataRejected
        ? "refused"
        : "given"
      : "none";
  }
};

process.on("exit", () => writeSync(2, JSON.stringify(told)));
process.argv.splice(1, 1);
require(process.argv[1]);
