#!/usr/bin/env node
"use strict";
const { main } = require("./load.js").load("cli");

process.stdout.on("error", (error) => {
  // `daybook … | head` closes the pipe early; that is no failure.
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
