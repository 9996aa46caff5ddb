import type { Progress } from "../daybook.ts";
import type { Io } from "./io.ts";
import { ERASE_LINE } from "./paint.ts";

const PATIENCE = 1000;

/** A bar on stderr once reading takes longer than a second: how far, how fast, how long still. Nothing when piped or quiet. */
export function progressBar(io: Io, quiet: boolean): { tick: Progress; clear: () => void } {
  const started = Date.now();
  let drawn = 0;
  let shown = false;
  return {
    tick({ bytes, ofBytes, files, of }) {
      const now = Date.now();
      if (quiet || !io.errIsTerminal || io.env["TERM"] === "dumb" || now - started < PATIENCE || now - drawn < 100)
        return;
      drawn = now;
      shown = true;
      const share = ofBytes === 0 ? 1 : bytes / ofBytes;
      const rate = bytes / ((now - started) / 1000);
      const left = rate === 0 ? 0 : Math.ceil((ofBytes - bytes) / rate);
      const filled = Math.round(share * 24);
      const bar = "█".repeat(filled) + "░".repeat(24 - filled);
      const speed = `${(rate / 1e6).toFixed(0)} MB/s`;
      io.err(`${ERASE_LINE}${bar} ${Math.round(share * 100)}%  ${files}/${of} files  ${speed}  ${left}s left`);
    },
    clear() {
      if (shown) io.err(ERASE_LINE);
    },
  };
}
