import type { Progress } from "../../answers/daybook.ts";
import { DaybookError } from "../../base/errors.ts";
import type { Io } from "./io.ts";
import { ERASE_LINE } from "./output.ts";

const QUIET_MS = 1000;

/**
 * A progress bar on stderr once reading takes longer than a second: share done, speed, time left. Nothing if piped or
 * quiet.
 */
export function progressBar(io: Io, quiet: boolean): { tick: Progress; clear: () => void } {
  const started = Date.now();
  let drawn = 0;
  let shown = false;
  /** Where the current phase began. The speed of an earlier phase says nothing about this one. */
  let begun = { at: started, bytes: 0 };
  let before = 0;
  return {
    tick({ bytes, ofBytes, files, of, readable, things }) {
      const now = Date.now();
      if (bytes < before) begun = { at: now, bytes };
      before = bytes;
      if (quiet || !io.errIsTerminal || io.env["TERM"] === "dumb" || now - started < QUIET_MS || now - drawn < 100)
        return;
      drawn = now;
      shown = true;
      const share = ofBytes === 0 ? 1 : bytes / ofBytes;
      const rate = (bytes - begun.bytes) / (Math.max(1, now - begun.at) / 1000);
      const left = rate === 0 ? 0 : Math.ceil((ofBytes - bytes) / rate);
      const bar = barOf(share, io.columns < 100 ? 12 : 24);
      const counted = things === undefined ? `files  ${(rate / 1e6).toFixed(0)} MB/s` : things;
      // How many days can be queried already is more useful than the number of files.
      const reached = readable ? readableText(readable) : `${files}/${of} ${counted}`;
      io.err(`${ERASE_LINE}${bar} ${Math.round(share * 100)}%  ${reached}  ${left}s left`);
    },
    clear() {
      if (shown) io.err(ERASE_LINE);
    },
  };
}

/** The same for items that take about equally long each. */
export function countBar(
  io: Io,
  quiet: boolean,
  things: string,
): { tick: (done: number, of: number) => void; clear: () => void } {
  const bar = progressBar(io, quiet);
  return { tick: (done, of) => bar.tick({ files: done, of, bytes: done, ofBytes: of, things }), clear: bar.clear };
}

function barOf(share: number, width: number): string {
  const filled = Math.round(share * width);
  return "█".repeat(filled) + "░".repeat(width - filled);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** For example `12 of 75 days readable: since 3 Nov`. */
function readableText({ days, of, since }: NonNullable<Parameters<Progress>[0]["readable"]>): string {
  const [, month, day] = (since ?? "").split("-").map(Number);
  const from = month && day ? `: since ${day} ${MONTHS[month - 1]}` : "";
  return `${days} of ${of} days readable${from}`;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal stops the work cleanly; a second one kills the program. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of SIGNALS) process.once(name, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

/** The same for work a question waits for: if it is stopped, this throws. */
export async function orThrowIfStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return untilStopped(async (signal) => {
    const result = await work(signal);
    if (!signal.aborted) return result;
    throw new DaybookError("stopped; what was read is kept, and the next command continues from there", {
      code: "stopped",
      op: "read sessions",
    });
  });
}
