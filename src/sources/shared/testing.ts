import { readFileSync } from "node:fs";
import type { RecordBody, RecordType } from "../../log/record.ts";
import type { Entry } from "../source.ts";

/** What the tests of several sources ask of entries and of genuine files. */

/** The directory a genuine session worked in, as its file spells it: the first plain path in it that ends with the corpus's name. */
export function workedIn(path: string, corpus: string): string {
  const end = corpus.replaceAll(".", "\\.");
  return new RegExp(`(?<![\\w.-])(?:/[\\w-]+)+/${end}`).exec(readFileSync(path, "utf8"))?.[0] ?? "(nowhere)";
}

export function classes(entries: readonly Entry[]): string {
  return entries.map((entry) => entry.class).join(" ");
}

export function reasons(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.reason);
}

/** All canonical records of one type, in order. */
export function bodies<T extends RecordType>(entries: readonly Entry[], type: T): Extract<RecordBody, { type: T }>[] {
  const out: Extract<RecordBody, { type: T }>[] = [];
  for (const entry of entries)
    for (const body of entry.records) if (body.type === type) out.push(body as Extract<RecordBody, { type: T }>);
  return out;
}

/** `kind: text` of every trigger. */
export function prompts(entries: readonly Entry[]): string[] {
  return entries
    .filter((entry) => entry.class === "trigger")
    .map((entry) => {
      const [body] = bodies([entry], "user").slice(-1);
      return `${body?.kind ?? "?"}: ${body?.text ?? ""}`;
    });
}

/** `call: status exit` of every settlement. */
export function settlements(entries: readonly Entry[]): string[] {
  return bodies(entries, "tool_finished").map((body) => `${body.call_id}: ${body.status} ${body.exit_code ?? "-"}`);
}

/** What less detail must not change. */
export function shapeOf(entry: Entry): unknown {
  const records = entry.records.map((body) => {
    if (body.type === "usage" || (body.type === "user" && body.author === "human")) return body;
    return body.type === "tool_finished" ? [body.call_id, body.status, body.exit_code, body.files] : body.type;
  });
  return [entry.class, entry.reason, entry.identity, entry.time, entry.tentative, records];
}
