import { linesOf, type EditEvent, type Snapshot } from "./model.ts";
import { FileReplay } from "./replay.ts";

/** Git counts seconds. */
const SECOND = 1000;

/** A file through its recorded changes and what is known of it in between, up to what it holds at the end. */
export function replayed(
  events: readonly EditEvent[],
  snapshots: readonly Snapshot[],
  end: readonly string[],
): FileReplay {
  const [first] = events;
  if (!first) return settled(new FileReplay(null), end);
  const base = snapshots.findLast(({ time }) => time + SECOND <= first.time) ?? null;
  const later = snapshots.filter((one) => one !== base && (base === null || one.time >= base.time));
  const replay = new FileReplay(base?.lines ?? traced(events, later[0]?.lines ?? end));
  const waiting = [...later];
  for (const event of events) {
    for (let next = waiting[0]; next && isDue(next, event); next = waiting[0]) {
      // Made in the same second: what it holds says whether it was before.
      if (!replay.holds(next.lines) && next.time + SECOND > event.time) break;
      replay.settle(next.lines);
      waiting.shift();
    }
    replay.apply(event);
  }
  for (const { lines } of waiting) replay.settle(lines);
  return settled(replay, end);
}

function isDue({ time }: Snapshot, event: EditEvent): boolean {
  return time <= event.time + SECOND;
}

function settled(replay: FileReplay, end: readonly string[]): FileReplay {
  replay.settle(end);
  return replay;
}

/** What the file held before its first change, as far as the changes can be undone on what it held later. */
function traced(events: readonly EditEvent[], later: readonly string[]): string[] {
  // What was written whole says nothing of what stood there before.
  if (events.some(({ edit }) => edit.kind === "write")) return [];
  let text = `${later.join("\n")}\n`;
  for (const { edit } of events.toReversed()) {
    if (edit.kind === "replace")
      text = swapped(text, edit.after.replaceAll("\r\n", "\n"), edit.before.replaceAll("\r\n", "\n"));
    if (edit.kind === "patch")
      for (const { before, after } of edit.hunks.toReversed())
        text = swapped(text, after.map((line) => `${line}\n`).join(""), before.map((line) => `${line}\n`).join(""));
  }
  return linesOf(text);
}

/** Only where there is no doubt. */
function swapped(text: string, from: string, to: string): string {
  const at = from === "" ? -1 : text.indexOf(from);
  if (at === -1 || text.includes(from, at + 1)) return text;
  return text.slice(0, at) + to + text.slice(at + from.length);
}
