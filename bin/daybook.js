#!/usr/bin/env node
"use strict";
const { main } = require("./load.js").load("cli");

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
