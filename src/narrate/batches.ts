import { compactText, previewOf, type CompactRecord } from "./compact.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** Bytes of transcript in one request. */
const REQUEST_BYTES = 98_304;

/** Turns whose records fit into one request together, whole turns each; a turn that fits into none stands alone. */
export function batches(turns: readonly TurnEvidence[], most: number = REQUEST_BYTES): TurnEvidence[][] {
  const out: TurnEvidence[][] = [];
  let room = 0;
  for (const turn of turns) {
    const size = Buffer.byteLength(turnText(turn, most));
    const last = out.at(-1);
    if (last && size <= room) last.push(turn);
    else out.push([turn]);
    room = (last && size <= room ? room : most) - size;
  }
  return out;
}

/** The records of a turn, one JSON object per line; of one that is too long its middle is left out, and that is said. */
export function turnText(turn: TurnEvidence, most: number = REQUEST_BYTES): string {
  const head = `== turn ${turn.turn_ref}, lines ${turn.start}-${turn.end}`;
  const whole = turn.compact.map(compactText);
  if (sizeOf(whole) <= most) return [head, ...whole].join("\n");
  const short = turn.compact.map((record) => compactText(shortened(record)));
  if (sizeOf(short) <= most) return [head, ...short].join("\n");
  return [head, ...withoutMiddle(turn, short, most)].join("\n");
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function shortened(record: CompactRecord): CompactRecord & { truncated?: true } {
  if (record.text === undefined) return record;
  const { preview, truncated } = previewOf(record.text);
  return truncated ? { ...record, text: preview, truncated: true } : record;
}

/** A third from the beginning, the rest from the end, where results stand. */
function withoutMiddle(turn: TurnEvidence, lines: readonly string[], most: number): string[] {
  let [first, room] = [0, Math.floor(most / 3)];
  for (; first < lines.length && Buffer.byteLength(lines[first] ?? "") < room; first++)
    room -= Buffer.byteLength(lines[first] ?? "") + 1;
  let last = lines.length;
  room += most - Math.floor(most / 3);
  for (; last > first && Buffer.byteLength(lines[last - 1] ?? "") < room; last--)
    room -= Buffer.byteLength(lines[last - 1] ?? "") + 1;
  if (first >= last) return [...lines];
  const [from, to] = [turn.compact[first]?.line ?? turn.start, turn.compact[last - 1]?.line ?? turn.end];
  const note = compactText({
    left_out: `${from}-${to}`,
    records: last - first,
    why: "the turn is too long to be read at once",
  });
  return [...lines.slice(0, first), note, ...lines.slice(last)];
}
