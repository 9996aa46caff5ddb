#!/usr/bin/env node
"use strict";
const path = require("node:path");
const { main } = require("./load.js").load("cli");

// The program can be started through a link with another name, and then acts according to that name.
main(process.argv.slice(2), undefined, path.basename(process.argv[1] ?? "")).then((code) => {
  process.exitCode = code;
});
