import { compactText, previewOf, type CompactRecord } from "./compact.ts";
import type { FileEvidence, TurnEvidence } from "./turn-evidence.ts";

/** Bytes of transcript in one request. */
const REQUEST_BYTES = 98_304;

/**
 * Groups turns whose records fit into one request together. Turns are not split; one that is too large is alone in its
 * batch.
 */
export function batchTurns(turns: readonly TurnEvidence[], most: number = REQUEST_BYTES): TurnEvidence[][] {
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

/** Minimum share of the space for the session's own records. */
const OWN_SHARE = 0.6;

/**
 * The records of a turn and of the sub-agents it started, one JSON object per line. If they are too long the middle is
 * left out, and a note says so.
 */
export function turnText(turn: TurnEvidence, most: number = REQUEST_BYTES): string {
  const head = `== turn ${turn.turn_ref}, lines ${turn.start}-${turn.end}`;
  const whole = [turn, ...turn.agents].map(({ compact }) => compact.map(compactText));
  if (whole.reduce((sum, lines) => sum + sizeOf(lines), 0) <= most) return [head, ...whole.flat()].join("\n");
  const [own = 0, ...sizes] = whole.map(sizeOf);
  const others = sizes.reduce((sum, size) => sum + size, 0);
  const room = Math.max(most * OWN_SHARE, most - others);
  const rest = most - Math.min(own, room);
  return [
    head,
    ...fitLines(turn, room),
    ...turn.agents.flatMap((agent, i) => fitLines(agent, (rest * (sizes[i] ?? 0)) / others)),
  ].join("\n");
}

function fitLines(file: FileEvidence, most: number): string[] {
  const whole = file.compact.map(compactText);
  if (sizeOf(whole) <= most) return whole;
  const short = file.compact.map((record) => compactText(shortened(record)));
  return sizeOf(short) <= most ? short : withoutMiddle(file, short, most);
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function shortened(record: CompactRecord): CompactRecord & { truncated?: true } {
  if (record.text === undefined) return record;
  const { preview, truncated } = previewOf(record.text);
  return truncated ? { ...record, text: preview, truncated: true } : record;
}

/** Keeps a third from the beginning and the rest from the end, where the results are. */
function withoutMiddle(file: FileEvidence, lines: readonly string[], most: number): string[] {
  let [first, room] = [0, Math.floor(most / 3)];
  for (; first < lines.length && Buffer.byteLength(lines[first] ?? "") < room; first++)
    room -= Buffer.byteLength(lines[first] ?? "") + 1;
  let last = lines.length;
  room += most - Math.floor(most / 3);
  for (; last > first && Buffer.byteLength(lines[last - 1] ?? "") < room; last--)
    room -= Buffer.byteLength(lines[last - 1] ?? "") + 1;
  if (first >= last) return [...lines];
  const [from, to] = [file.compact[first]?.line ?? file.start, file.compact[last - 1]?.line ?? file.end];
  const { agent } = file.compact[0] ?? {};
  const note = compactText({
    ...(agent === undefined ? {} : { agent }),
    left_out: `${from}-${to}`,
    records: last - first,
    why: "the turn is too long to be read at once",
  });
  return [...lines.slice(0, first), note, ...lines.slice(last)];
}
