#!/usr/bin/env node
"use strict";
const path = require("node:path");
const { main } = require("./load.js").load("cli");

// A link may have another name, which says what is meant.
main(process.argv.slice(2), undefined, path.basename(process.argv[1] ?? "")).then((code) => {
  process.exitCode = code;
});
