import type { RecordBody, Tokens, ToolFinishedBody, ToolStartedBody, UsageBody, UserBody } from "../format/record.ts";
import { noTokens } from "../format/tokens.ts";
import type { Drift, Entry, EntryClass, SourceRef } from "../sources/contract.ts";
import { DraftBuilder, type BuildOptions } from "./builder.ts";
import type { FileDraft } from "./model.ts";

/** What the tests of this room make stories of: entries as a source would yield them, one per line. */

export const REF: SourceRef = { source: "toy", path: "/store/session.jsonl", size: 0, mtimeMs: 0, container: "jsonl" };
export const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
export const OPTIONS: BuildOptions = { ledger: false, toolDetail: true };

/** An entry without its place in the file. */
export type Told = Omit<Entry, "line" | "offset" | "bytes" | "position"> & Partial<Pick<Entry, "position">>;

export function told(kind: EntryClass, records: readonly RecordBody[], more: Partial<Told> = {}): Told {
  return { class: kind, reason: `toy.${kind}`, native: kind, time: null, records, tentative: false, ...more };
}

export function ask(text: string, more: Partial<Told> = {}, body: Partial<UserBody> = {}): Told {
  return told("trigger", [{ type: "user", author: "human", text, kind: "prompt", ...body }], more);
}

export function say(text: string, more: Partial<Told> = {}): Told {
  return told("reaction", [{ type: "assistant_finished", text }], more);
}

/** The record that ends a turn normally. */
export function done(more: Partial<Told> = {}, duration: number | null = null): Told {
  return told("reaction", [{ type: "assistant_finished", text: "", turn_ended: true, duration_ms: duration }], more);
}

export function start(call: string, more: Partial<Told> = {}, body: Partial<ToolStartedBody> = {}): Told {
  return told("reaction", [{ type: "tool_started", call_id: call, name: "Bash", input: null, ...body }], more);
}

export function finish(call: string, body: Partial<ToolFinishedBody> = {}, more: Partial<Told> = {}): Told {
  return told("reaction", [finished(call, body)], more);
}

export function finished(call: string, body: Partial<ToolFinishedBody> = {}): ToolFinishedBody {
  return { type: "tool_finished", call_id: call, status: "ok", exit_code: null, duration_ms: null, ...body };
}

export function spent(id: string, tokens: Partial<Tokens>, body: Partial<UsageBody> = {}): UsageBody {
  return { type: "usage", response_id: id, model: "m", verdict: "counted", ...noTokens(), ...tokens, ...body };
}

/** Lines as they would stand in a file. */
export function placed(story: readonly Told[]): Entry[] {
  return story.map((entry, i) => ({ line: i + 1, offset: i * 10, bytes: 10, position: i + 1, ...entry }));
}

export function build(story: readonly Told[], options: Partial<BuildOptions> = {}): FileDraft {
  const builder = new DraftBuilder(REF, "s", { ...OPTIONS, ...options });
  for (const entry of placed(story)) builder.push(entry);
  return builder.finish(NO_DRIFT);
}
