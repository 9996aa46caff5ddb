import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLoader, openSources } from "../../src/book/reading/library.ts";
import { readFile } from "../../src/book/reading/read-file.ts";
import { logRecords } from "../../src/book/reading/records.ts";
import { assemble } from "../../src/turns/assemble.ts";

const FULL = { detail: "full", ledger: false, toolDetail: true } as const;

/** Exports every session below a root as a log, into a new temporary directory. */
export function exportedLogs(source: string, root: string): string {
  const dir = mkdtempSync(join(tmpdir(), "daybook-logs-"));
  const { refs } = openSources({ roots: { [source]: [root] }, env: {}, home: "/nowhere" });
  const drafts = refs.map((ref) => readFile(ref, FULL));
  for (const [i, session] of assemble(drafts, fileLoader(FULL)).sessions.entries()) {
    const lines = [...logRecords(session)].map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(join(dir, `${String(i).padStart(4, "0")}.jsonl`), lines.join(""));
  }
  return dir;
}
