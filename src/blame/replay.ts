import { createHash } from "node:crypto";
import type { PatchHunk } from "../sources/contract.ts";
import { slideOf, type Change } from "./diff.ts";
import { changesOf } from "./place.ts";
import { notebookAfter } from "./notebook.ts";
import { turnKey } from "../turns/session.ts";
import { seenLines, Shown, showsBefore, type Hunk } from "./shown.ts";
import { replaced, replacementsIn } from "./replacements.ts";
import { linesOf, type EditEvent, type Line, type Origin, type UnknownReason } from "./model.ts";

/** What one change took away and brought, for when it is taken back. */
interface Step {
  removed: readonly Line[];
  added: readonly Line[];
  /** What stood around it. */
  prev: Line | undefined;
  next: Line | undefined;
  /** Which turn did it, among those of the file; null: no call is known to have done it. */
  turn: number | null;
}

/** A change whose effect is not known, or not where. */
interface Unplaced {
  event: EditEvent;
  /** Lines it wrote, where they are known. */
  added: string[][];
  /** The text of a script. */
  script: string;
  /** All the file held before is known: it was written by the same turn, not long before, or does not matter. */
  isSure: boolean;
  /** What its turn saw of the file before and after it. */
  before: readonly Shown[];
  after: Shown[];
}

/** What is known of a version of the file besides what it holds. */
export interface Known {
  isRevert: boolean;
  /** What it was on branches that came together in it. */
  merged: readonly (readonly string[])[];
  /** The turn that committed it; null: it is not known that one did. */
  by: string | null;
}

/** What a turn saw is what it found and left, if nobody had time to change it in between. */
const SOON = 600_000;

/** So many lines of former states are kept, for when a file becomes again what it was. */
const MOST_KEPT = 5_000_000;

/**
 * One file through its recorded changes. Every line knows the change that wrote it. Where a change does not fit what the file
 * should hold, something unrecorded happened before it: what the change says stood there is taken over, of unknown origin.
 */
export class FileReplay {
  #lines: readonly Line[];
  #exists = true;
  #steps: Step[] = [];
  /** Changes whose place was not found, scripts and formatters; what they wrote may turn up. */
  #unplaced: Unplaced[] = [];
  /** What the file held at the end of turns and when it was seen, by what its text comes to. */
  readonly #states = new Map<string, readonly Line[]>();
  #kept = 0;
  /** What it was when it was last seen in git. */
  #committed: readonly Line[] | null = null;
  #turns = 0;
  /** What the turn at work saw of it. */
  #looks: Shown[] = [];
  /** When the turn at work knew all of it; null: it does not. */
  #knownAt: number | null = null;
  /** The change after which nobody knows what it holds. */
  #unseenBy: EditEvent | null = null;
  /** What the turn at work began with; whether it wrote the file whole. */
  #opened: { lines: readonly Line[]; steps: Step[]; isRewritten: boolean } | null = null;

  /** Null: nobody knows what the file held. */
  constructor(base: readonly string[] | null) {
    this.#lines = (base ?? []).map((text) => ({ text, origin: unknown("before_records") }));
    if (base) this.#keep();
  }

  /** Git has it as it is. */
  commit(): void {
    this.#committed = this.#lines;
  }

  get exists(): boolean {
    return this.#exists;
  }

  get unseenBy(): EditEvent | null {
    return this.#unseenBy;
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  get texts(): string[] {
    return this.#lines.map(({ text }) => text);
  }

  holds(texts: readonly string[]): boolean {
    return (
      this.#exists && texts.length === this.#lines.length && texts.every((text, i) => this.#lines[i]?.text === text)
    );
  }

  apply(event: EditEvent): void {
    const { edit } = event;
    this.#open();
    this.#exists = edit.kind !== "delete" && (this.#exists || (edit.kind !== "script" && edit.kind !== "format"));
    switch (edit.kind) {
      case "write":
        return this.#write(event, edit.content);
      case "replace":
        if (edit.before === "") this.#write(event, edit.after);
        else if (!this.#replace(event, edit.before, edit.after, edit.all))
          this.#leave(event, [[edit.before, edit.after]]);
        return;
      case "insert":
        return this.#insert(event, edit.line, edit.text);
      case "patch":
        return this.#patch(event, edit.hunks);
      case "delete":
        return this.#put(0, this.#lines.length, [], { by: event });
      case "notebook":
        return this.#rewrite(event, notebookAfter(this.texts, edit));
      case "stream": {
        const lines = edit.rewrite(this.texts);
        if (lines && this.holds(lines)) this.#doubtAll(edit.puts);
        else this.#rewrite(event, lines);
        return;
      }
      case "restore":
        if (this.#committed) this.#lines = this.#committed;
        return;
      case "output":
        this.#unseenBy = event;
        return this.#wait(event, [], "");
      case "script":
      case "format":
        return this.#wait(event, [], edit.kind === "script" ? edit.text : "");
    }
  }

  /** What the turn at work sees of it. */
  look(event: EditEvent): void {
    const { edit, time } = event;
    if (edit.kind === "absent" && this.#lines.length === 0) [this.#exists, this.#knownAt] = [false, time];
    if (edit.kind !== "shown") return;
    const shown = new Shown(edit.text, time);
    this.#looks.push(shown);
    for (const one of edit.isAlone ? this.#unplaced : [])
      if (turnKey(one.event) === turnKey(event) && time - one.event.time < SOON) one.after.push(shown);
  }

  #wait(event: EditEvent, added: string[][], script: string): void {
    const { edit, time } = event;
    const isNew = this.#lines.length === 0 && this.#steps.length === 0;
    const isMade = edit.kind === "output" && (edit.ifNew !== true || isNew);
    const isSure = isMade || (this.#knownAt !== null && time - this.#knownAt < SOON);
    const before = this.#looks.filter((one) => time - one.time < SOON);
    this.#unplaced.push({ event, added, script, isSure, before, after: [] });
  }

  /**
   * What one turn did is one change, from what it began with to what it left: what it took back itself it did not do, and where
   * equal lines stand side by side it is seen as whoever looks only before and after sees it.
   */
  close(): void {
    const opened = this.#opened;
    this.#opened = null;
    this.#looks = [];
    this.#knownAt = null;
    if (!opened || opened.lines === this.#lines) return;
    const written = this.#lines;
    const old = new Set(opened.lines);
    this.#lines = opened.isRewritten ? withoutFiller(opened.lines, written) : opened.lines;
    this.#steps = opened.steps;
    this.#turns++;
    const [before, after] = [this.texts, written.map(({ text }) => text)];
    for (const { a0, a1, b0, b1 } of changesOf(before, after).toReversed())
      this.#swap(a0, a1, freshLines(written, b0, b1, old), this.#turns);
    this.#keep();
  }

  #open(): void {
    this.#opened ??= { lines: this.#lines, steps: [...this.#steps], isRewritten: false };
  }

  /** Another file came in its place: lines that are in both stay who they are, the others are those of the other. */
  overlay(lines: readonly Line[]): void {
    this.#open();
    this.#exists = true;
    const [before, after] = [this.texts, lines.map(({ text }) => text)];
    for (const { a0, a1, b0, b1 } of changesOf(before, after).toReversed())
      this.#swap(a0, a1, lines.slice(b0, b1), this.#turns);
  }

  /** It is gone, and nobody knows by whom. */
  vanish(): void {
    this.#exists = false;
    this.#swap(0, this.#lines.length, [], null);
    this.#unplaced = [];
  }

  /** For when it becomes this again. */
  #keep(): void {
    if (!this.#exists || this.#kept > MOST_KEPT) return;
    this.#kept += this.#lines.length + 1;
    this.#states.set(keyOf(this.texts), this.#lines);
  }

  #rewrite(event: EditEvent, lines: readonly string[] | null): void {
    if (lines) this.#become(0, this.#lines.length, lines, { by: event });
  }

  #write(event: EditEvent, content: string): void {
    if (this.#opened) this.#opened.isRewritten = true;
    [this.#knownAt, this.#unseenBy] = [event.time, null];
    this.#become(0, this.#lines.length, linesOf(content), { by: event });
  }

  #insert(event: EditEvent, line: number, text: string): void {
    const at = Math.max(0, Math.min(line, this.#lines.length));
    this.#put(at, at, linesOf(text), { by: event });
  }

  /** Texts may begin and end inside of lines. */
  #replace(event: EditEvent, before: string, after: string, all: boolean): boolean {
    const text = `${this.texts.join("\n")}\n`;
    const [old, fresh] = [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
    const places = placesOf(text, old);
    const [only] = places;
    if (only === undefined && this.#again(event, old, fresh)) return true;
    if (only === undefined || (places.length > 1 && !all)) return this.#nearly(event, linesOf(old), linesOf(fresh));
    const lineStart = text.lastIndexOf("\n", only - 1) + 1;
    const end = (places.at(-1) ?? only) + old.length;
    // A text that ends with a break ends with its line.
    const lineEnd = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1 || text.length;
    const region = text.slice(lineStart, lineEnd);
    const first = breaksIn(text, only);
    this.#become(first, first + linesOf(region).length, linesOf(region.replaceAll(old, () => fresh)), { by: event });
    return true;
  }

  /** It found nothing to do, or something unrecorded had been done that it took back: of what it would have put in nobody knows. */
  #doubtAll(puts: readonly string[]): void {
    const doubted = this.#lines.map((line) =>
      line.origin.by && puts.some((text) => line.text.includes(text))
        ? { text: line.text, origin: unknown("ambiguous") }
        : line,
    );
    if (doubted.some((line, i) => line !== this.#lines[i])) this.#assume(doubted);
  }

  /** Something unrecorded happened before the turn at work. */
  #assume(lines: readonly Line[]): void {
    const isFirst = this.#opened?.lines === this.#lines;
    this.#lines = lines;
    if (isFirst && this.#opened) this.#opened = { ...this.#opened, lines, steps: [...this.#steps] };
  }

  /** It was done although its place is not there, and what it wrote is there, once: it had been changed back meanwhile. */
  #again(event: EditEvent, before: string, after: string): boolean {
    const text = `${this.texts.join("\n")}\n`;
    const places = placesOf(text, after);
    const [only] = places;
    if (only === undefined || places.length > 1 || !isTelling(after)) return false;
    const first = breaksIn(text, only);
    const lineStart = text.lastIndexOf("\n", only - 1) + 1;
    const lineEnd = text.indexOf("\n", only + after.length - 1) + 1 || text.length;
    const region = text.slice(lineStart, lineEnd);
    const [now, then] = [linesOf(region), linesOf(region.replace(after, () => before))];
    const old = then.map((line): Line => ({ text: line, origin: unknown("changed_outside") }));
    const kept = changesOf(now, then);
    // Lines that the change only names to be found stay who they are.
    for (const { a0, b0 } of equalRuns(kept, now.length))
      old[b0] = this.#lines[first + a0] ?? old[b0] ?? lost(b0, then);
    this.#assume([...this.#lines.slice(0, first), ...old, ...this.#lines.slice(first + now.length)]);
    this.#become(first, first + then.length, now, { by: event });
    return true;
  }

  #patch(event: EditEvent, hunks: readonly PatchHunk[]): void {
    let cursor = 0;
    for (const { before, after, behind } of hunks) {
      const texts = this.texts;
      if (behind !== null) {
        const at = find(texts, [behind], cursor);
        if (at !== -1) cursor = at + 1;
      }
      if (before.length === 0) {
        // Without a place it goes to the end.
        const at = behind === null ? texts.length : cursor;
        this.#put(at, at, after, { by: event });
        cursor = at + after.length;
        continue;
      }
      const at = find(texts, before, cursor);
      if (at !== -1) {
        this.#become(at, at + before.length, after, { by: event });
        cursor = at + after.length;
      } else if (!this.#nearly(event, before, after)) this.#leave(event, [[before.join("\n"), after.join("\n")]]);
    }
  }

  /** The place is known by lines that stand there once; the others were changed by something unrecorded, before. */
  #nearly(event: EditEvent, before: readonly string[], after: readonly string[]): boolean {
    const texts = this.texts;
    const places = before.flatMap((text, i) => {
      const at = texts.indexOf(text);
      const isSign = isTelling(text) && at !== -1 && at === texts.lastIndexOf(text);
      return isSign && before.indexOf(text) === before.lastIndexOf(text) ? [{ i, at }] : [];
    });
    const [first, last] = [places[0], places.at(-1)];
    const inOrder = places.every(({ at }, n) => n === 0 || at > (places[n - 1]?.at ?? -1));
    if (!first || !last || !inOrder) return false;
    // Nothing that is far longer or shorter is the same place.
    if (Math.abs(last.at - first.at - (last.i - first.i)) > before.length + 5) return false;
    let [from, i] = [first.at, first.i];
    while (i > 0 && from > 0 && texts[from - 1] === before[i - 1]) [from, i] = [from - 1, i - 1];
    let [to, j] = [last.at + 1, last.i + 1];
    while (j < before.length && to < texts.length && texts[to] === before[j]) [to, j] = [to + 1, j + 1];
    this.#become(from, to, before, unknown("changed_outside"));
    this.#become(from, from + before.length, after, { by: event });
    return true;
  }

  #leave(event: EditEvent, texts: readonly (readonly [before: string, after: string])[]): void {
    const added = texts.flatMap(([before, after]) => {
      const [a, b] = [linesOf(before), linesOf(after)];
      return changesOf(a, b).map(({ b0, b1 }) => b.slice(b0, b1));
    });
    this.#wait(
      event,
      added.filter((lines) => lines.some(isTelling)),
      "",
    );
  }

  /** Some lines become others; those in both stay who they are. */
  #become(from: number, to: number, texts: readonly string[], origin: Origin): void {
    const before = this.texts;
    const after = [...before.slice(0, from), ...texts, ...before.slice(to)];
    for (const { a0, a1, b0, b1 } of changesOf(before, after).toReversed())
      this.#put(a0, a1, after.slice(b0, b1), origin);
  }

  #put(from: number, to: number, texts: readonly string[], origin: Origin): void {
    this.#swap(
      from,
      to,
      texts.map((text) => ({ text, origin })),
      origin.by === null ? null : this.#turns,
    );
  }

  #swap(from: number, to: number, added: readonly Line[], turn: number | null): void {
    const removed = this.#lines.slice(from, to);
    const [prev, next] = [this.#lines[from - 1], this.#lines[to]];
    this.#lines = [...this.#lines.slice(0, from), ...added, ...this.#lines.slice(to)];
    this.#steps.push({ removed, added, prev, next, turn });
  }

  /** What the file is known to hold now: whatever is different came unrecorded. */
  settle(texts: readonly string[], { isRevert, merged, by }: Known): void {
    const isRewritten = this.#unplaced.some(({ event }) => event.edit.kind === "format");
    const known = this.holds(texts) ? this.#lines : isRewritten ? undefined : this.#states.get(keyOf(texts));
    this.#exists = true;
    if (known) this.#lines = known;
    else this.#differ(texts, isRevert, this.#branchLines(texts, merged), by);
    this.#unplaced = [];
    this.#unseenBy = null;
    this.#keep();
  }

  /** Lines of branches, by where they stand in what these became, where it was seen who wrote them. */
  #branchLines(texts: readonly string[], merged: readonly (readonly string[])[]): Map<number, Line> {
    const found = new Map<number, Line>();
    for (const branch of merged) {
      const known = this.#states.get(keyOf(branch)) ?? [];
      if (known.length > 0)
        for (const { a0, b0 } of equalRuns(changesOf(branch, texts), branch.length)) {
          const line = known[a0];
          if (line) found.set(b0, line);
        }
    }
    return found;
  }

  #differ(texts: readonly string[], isRevert: boolean, branches: ReadonlyMap<number, Line>, by: string | null): void {
    const before = this.texts;
    const changes = changesOf(before, texts);
    const back = changes.map(({ a0, a1, b0, b1 }) => this.#takenBack(a0, a1, texts.slice(b0, b1)));
    const scripted = this.#replacedByScripts();
    // Lines in front do not move while it goes from the end.
    for (const [n, change] of [...changes.entries()].toReversed()) {
      const { a0, a1, b0, b1 } = change;
      const step = back[n] ?? null;
      const script = scripted.get(placeName(change, texts.slice(b0, b1)));
      const rewritten = script ?? this.#formatter(texts.slice(b0, b1), before.slice(a0, a1));
      // What is recorded to have been done is not taken for what was taken back.
      const isBack = step !== null && (isRevert || (!rewritten && this.#isWhole(step, back)));
      const fresh = isBack
        ? step.removed
        : rewritten
          ? texts.slice(b0, b1).map((text) => ({ text, origin: { by: rewritten } }))
          : this.#arrived(texts.slice(b0, b1));
      const hunk = { removed: before.slice(a0, a1), added: texts.slice(b0, b1), prev: texts[b0 - 1], next: texts[b1] };
      const proven = this.#proven(fresh, hunk, before, by);
      const lines = proven.map((line, i) => (line.origin.by ? line : (branches.get(b0 + i) ?? line)));
      this.#swap(a0, a1, isBack ? step.removed : lines, null);
      const isKnown = rewritten !== null || (proven !== fresh && proven.every(({ origin }) => origin.by));
      if (!isBack && !isKnown) this.#doubt(change, before, texts, changes, n);
    }
  }

  /** Changes that scripts make by the replacements that stand in them, by their place and text. */
  #replacedByScripts(): Map<string, EditEvent> {
    const found = new Map<string, EditEvent>();
    const before = this.texts;
    const text = before.map((line) => `${line}\n`).join("");
    for (const { event, script } of this.#unplaced) {
      const all = script === "" ? [] : replacementsIn(script);
      for (const isEach of all.length > 0 ? [true, false] : []) {
        const after = linesOf(replaced(text, all, isEach));
        for (const change of changesOf(before, after))
          found.set(placeName(change, after.slice(change.b0, change.b1)), event);
      }
    }
    return found;
  }

  /**
   * A change taken back brings the lines of before, with who wrote them: one that came unrecorded, as when branches are changed,
   * or all that a turn did. A line that somebody makes by hand what it once was, among others that stay, is a line of that hand.
   */
  #isWhole({ turn }: Step, back: readonly (Step | null)[]): boolean {
    return turn === null || this.#steps.every((one) => one.turn !== turn || back.includes(one));
  }

  #takenBack(from: number, to: number, texts: readonly string[]): Step | null {
    const removed = this.#lines.slice(from, to);
    if (!texts.some(isTelling) && !removed.some(({ text }) => isTelling(text))) return null;
    // Where nothing is left of the change, what stood around it tells the place.
    const isHere = ({ prev, next }: Step): boolean =>
      removed.length > 0 || prev === this.#lines[from - 1] || next === this.#lines[to];
    const step = this.#steps.findLast(
      (one) =>
        one.added.length === removed.length &&
        one.removed.length === texts.length &&
        one.added.every((line, i) => line === removed[i]) &&
        one.removed.every(({ text }, i) => text === texts[i]) &&
        isHere(one),
    );
    return step ?? null;
  }

  /** The formatter that ran, where lines are of the letters of those they replace. */
  #formatter(texts: readonly string[], removed: readonly string[]): EditEvent | null {
    const ran = this.#unplaced.findLast(({ event }) => event.edit.kind === "format");
    return ran && texts.some(isTelling) && lettersOf(texts) === lettersOf(removed) ? ran.event : null;
  }

  /** Unrecorded lines, unless a change that found no place wrote exactly them, or a script that holds them all. */
  #arrived(texts: readonly string[]): Line[] {
    const lines: Line[] = texts.map((text) => ({ text, origin: unknown("changed_outside") }));
    for (const { event, added } of this.#unplaced)
      for (const run of added) {
        const at = exactly(texts, run, 0);
        if (at !== -1)
          for (let i = 0; i < run.length; i++) lines[at + i] = { text: run[i] ?? "", origin: { by: event } };
      }
    const rest = lines.filter(({ origin }) => origin.by === null).map(({ text }) => text);
    const by = this.#unplaced.findLast(({ script: text }) => text !== "" && rest.every((line) => isIn(text, line)));
    if (!by || !rest.some(isTelling)) return lines;
    return lines.map((line) => (line.origin.by === null ? { text: line.text, origin: { by: by.event } } : line));
  }

  /**
   * Lines of a change whose effect is not recorded are its own where its turn knew what stood there before, and committed them or saw
   * them after it.
   */
  #proven(lines: readonly Line[], hunk: Hunk, before: readonly string[], by: string | null): readonly Line[] {
    if (lines.every(({ origin }) => origin.by)) return lines;
    for (const one of this.#unplaced.toReversed()) {
      if (one.added.length > 0 || !(one.isSure || showsBefore(one.before, hunk))) continue;
      const seen = by === turnKey(one.event) ? lines.map(() => true) : seenLines(one.after, hunk, before);
      if (seen.includes(true))
        return lines.map((line, i) =>
          seen[i] === true && !line.origin.by ? { text: line.text, origin: { by: one.event } } : line,
        );
    }
    return lines;
  }

  /** An unrecorded change could stand as well among equal lines beside it: of these nobody knows which were there before. */
  #doubt(change: Change, a: readonly string[], b: readonly string[], changes: readonly Change[], n: number): void {
    const [before, next] = [changes[n - 1], changes[n + 1]];
    const up = slideOf(change, a, b, -1, before ? change.a0 - before.a1 : change.a0);
    const down = slideOf(change, a, b, 1, next ? next.a0 - change.a1 : a.length - change.a1);
    if (up === 0 && down === 0) return;
    const size = change.b1 - change.b0;
    // What stands behind was put in place before, so places here are those of the lines as they were.
    for (let at = change.a0 - up; at < change.a0 + size + down; at++) {
      const line = this.#lines[at];
      // Of a blank line or a brace nobody asks; git's place for it will do.
      if (line?.origin.by && isTelling(line.text))
        this.#lines = this.#lines.with(at, { text: line.text, origin: unknown("ambiguous") });
    }
  }
}

function placeName({ a0, a1 }: Change, texts: readonly string[]): string {
  return `${a0} ${a1} ${texts.join("\n")}`;
}

function unknown(reason: UnknownReason): Origin {
  return { by: null, reason };
}

/** Every file has blank lines and braces. */
export function isTelling(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * A file that was written whole, and of which nothing stayed that tells, may be another one: that it was gone in between nobody may
 * have seen. Whose its blank lines and braces are is not known then.
 */
function withoutFiller(before: readonly Line[], after: readonly Line[]): readonly Line[] {
  const telling = new Set(after.map(({ text }) => text).filter(isTelling));
  if (telling.size === 0 || before.some(({ text }) => telling.has(text))) return before;
  return before.map((line) =>
    line.origin.by && !isTelling(line.text) ? { text: line.text, origin: unknown("ambiguous") } : line,
  );
}

/** Places of lines that are in both. */
function equalRuns(changes: readonly Change[], length: number): { a0: number; b0: number }[] {
  const out: { a0: number; b0: number }[] = [];
  let [a, b] = [0, 0];
  for (const { a0, a1, b1 } of [...changes, { a0: length, a1: length, b1: 0 }]) {
    for (; a < a0; a++, b++) out.push({ a0: a, b0: b });
    [a, b] = [a1, b1];
  }
  return out;
}

function lost(at: number, texts: readonly string[]): Line {
  return { text: texts[at] ?? "", origin: unknown("changed_outside") };
}

/** What a formatter leaves as it is: it may put a zero before a point. */
function lettersOf(texts: readonly string[]): string {
  return texts
    .join("\n")
    .replace(/(?<![\d.])0(?=\.\d)/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Shorter ones stand in any script. */
const SHORTEST = 4;

function isIn(script: string, line: string): boolean {
  const text = line.trim();
  return (
    !isTelling(text) ||
    (text.length >= SHORTEST && (script.includes(text) || script.includes(JSON.stringify(text).slice(1, -1))))
  );
}

/** Lines that a turn brought; where the diff takes one of before for new, its neighbours tell who brought such a one. */
function freshLines(lines: readonly Line[], from: number, to: number, old: ReadonlySet<Line>): Line[] {
  return lines.slice(from, to).map((line, i) => {
    for (let by = 0; old.has(line) && by < lines.length; by++)
      for (const near of [lines[from + i - by], lines[from + i + by]])
        if (near && !old.has(near)) return { text: line.text, origin: near.origin };
    return line;
  });
}

function keyOf(texts: readonly string[]): string {
  const hash = createHash("sha1");
  for (const text of texts) hash.update(text).update("\n");
  return hash.digest("base64");
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function breaksIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Where lines stand, from a place on: as they are, then without blanks at their ends, then without any around them. */
function find(texts: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.trim()]) {
    const at = exactly(texts.map(form), wanted.map(form), from);
    if (at !== -1) return at;
  }
  return from > 0 ? find(texts, wanted, 0) : -1;
}

function exactly(texts: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return -1;
  for (let at = texts.indexOf(wanted[0] ?? "", from); at !== -1; at = texts.indexOf(wanted[0] ?? "", at + 1))
    if (wanted.every((text, i) => texts[at + i] === text)) return at;
  return -1;
}
