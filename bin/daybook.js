#!/usr/bin/env node
import { main } from "../dist/cli.js";

process.stdout.on("error", (error) => {
  // `daybook … | head` closes the pipe early; that is no failure.
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
process.exitCode = await main(process.argv.slice(2));
