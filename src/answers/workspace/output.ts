import { openPlain, openZstd } from "../../base/io/bytes.ts";
import { readLines } from "../../base/io/lines.ts";
import { lineOwners } from "../../views/recorded.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Turn } from "../../turns/session.ts";
import { meterOf } from "../../book/reading/source-ids.ts";
import type { OutputMeter } from "../../agents/contract.ts";
import type { SelectedFile, Selection } from "./select.ts";
import { parseJson } from "../../base/io/json.ts";

/**
 * Drops sessions whose every turn of the day is known to have produced fewer tokens than `least`. Unknown does not
 * count as few: a session stays if the count of one turn cannot be proven, or is at or above the limit.
 */
export function dropLowOutput(selection: Selection, least: number): Selection {
  const little = new Map<SelectedFile["session"], boolean>();
  for (const file of selection.files) {
    const counts = outputOf(file.part, file.turns);
    const few = counts.every((count) => count !== null && count < least);
    little.set(file.session, few && (little.get(file.session) ?? true));
  }
  const left = [...little].filter(([, few]) => few).map(([session]) => session);
  return {
    files: selection.files.filter((file) => little.get(file.session) !== true),
    left_out: [
      ...selection.left_out,
      ...left.map(({ source, session_id, path }) => ({
        source,
        source_session_id: session_id,
        source_path: path,
        reason: `fewer than ${least} output tokens in every turn of the day`,
      })),
    ],
  };
}

/** Output tokens of the given turns of a file, each null when unknown. */
export function outputOf(part: FileDraft, turns: readonly Turn[]): (number | null)[] {
  const meter = meterFor(part);
  if (meter === null) return turns.map(statedOutput);
  // An unreadable line may have held anything.
  if (part.records.corrupt > 0 || !measure(part, meter)) return turns.map(() => null);
  return turns.map(({ draft }) => meter.known(draft.index, draft.index === part.turns.length - 1));
}

/**
 * For sources without a meter and files that are gone: the tokens the reader counted, if there are any and the turn is
 * over.
 */
function statedOutput(turn: Turn): number | null {
  const sum = turn.usage.reduce((total, { event }) => total + event.output_tokens, 0);
  return sum > 0 && turn.draft.outcome !== "open" ? sum : null;
}

function meterFor(part: FileDraft): OutputMeter | null {
  if (part.gone !== null) return null;
  if (part.ref.container !== "jsonl" && part.ref.container !== "jsonl.zst") return null;
  return meterOf(part.source);
}

/** False when a human record has no time of its own: then the order of the whole file cannot be trusted. */
function measure(part: FileDraft, meter: OutputMeter): boolean {
  const stream = part.ref.container === "jsonl.zst" ? openZstd(part.path, 0) : openPlain(part.path, 0);
  const turns = part.turns.toSorted((a, b) => a.start_line - b.start_line);
  const ownerOf = lineOwners(turns);
  let at = -1;
  try {
    for (const { line, text } of readLines(stream, { line: 0, offset: 0 })) {
      while (turns[at + 1] !== undefined && (turns[at + 1]?.start_line ?? 0) <= line) at++;
      const turn = turns[at] ?? null;
      const record = fieldsOf(text);
      if (record === null) continue;
      if (turn?.trigger.line === line && !meter.isTimed(record)) return false;
      // Several windows write in turns: where a line has an owner, the turn begun last may be another one.
      const owner = ownerOf(line) ?? (turn !== null && line <= turn.end_line ? turn : null);
      meter.add(record, owner?.index ?? null);
    }
    return true;
  } finally {
    stream.close();
  }
}

function fieldsOf(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(text ?? "null");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
