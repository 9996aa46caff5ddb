import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { bookOf, openDaybook, placeFlags, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plain } from "../text.ts";

export const mcp: Register = (program, io, exit) => {
  placeFlags(program.command("mcp"))
    .description("answers agents themselves about the past: a server of the Model Context Protocol on stdin and stdout")
    .addHelpText("after", "\nExample:\n  daybook mcp")
    .action(async (flags: CommonFlags) => {
      // Answers come quickly from a book alone: where none is to be kept, one is made for as long as the client stays.
      const aside = bookOf(io, flags) === undefined ? mkdtempSync(join(tmpdir(), "daybook-mcp-")) : undefined;
      const opened = openDaybook(
        io,
        { ...flags, quiet: true, ...(aside === undefined ? {} : { home: aside }) },
        { noSync: true, now: () => Date.now() },
      );
      try {
        // Loaded here: no other command needs it.
        const { serveOverStdio } = await import("../../mcp/stdio.ts");
        const failed = (error: unknown): void => io.err(`daybook: ${plain(messageOf(error))}\n`);
        await serveOverStdio({ daybook: opened.daybook, cwd: process.cwd(), env: io.env, streams: io.streams, failed });
      } finally {
        opened.daybook.close();
        if (aside !== undefined) rmSync(aside, { recursive: true, force: true });
      }
      exit(0);
    });
};
