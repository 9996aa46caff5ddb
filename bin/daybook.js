#!/usr/bin/env node
"use strict";
const path = require("node:path");
const { keepCode, load } = require("./load.js");

keepCode(process.argv[2]);
// The program can be started through a link with another name, and then acts according to that name.
load("cli")
  .main(process.argv.slice(2), undefined, path.basename(process.argv[1] ?? ""))
  .then((code) => {
    process.exitCode = code;
  });
