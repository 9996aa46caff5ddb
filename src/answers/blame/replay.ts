import { createHash } from "node:crypto";
import type { PatchHunk } from "../../agents/contract.ts";
import { slideOf, type Change } from "./diff.ts";
import { changesOf } from "./place.ts";
import { notebookAfter } from "./notebook.ts";
import { seenLines, FileOutput, showPlaceBefore, type Hunk } from "./file-output.ts";
import { applyReplacements, replacementsIn } from "./replacements.ts";
import { linesOf, type EditEvent, type Line, type Origin, type UnknownReason } from "./model.ts";
import { turnKey } from "../../record/session-key.ts";

/** The lines that one change removed and added, to recognise when it is undone. */
interface Step {
  removed: readonly Line[];
  added: readonly Line[];
  /** The lines around it. */
  prev: Line | undefined;
  next: Line | undefined;
  /** Number of the turn among those that changed the file; null when no call is known to have made the change. */
  turn: number | null;
}

/** A change whose effect or place is unknown. */
interface UnplacedChange {
  event: EditEvent;
  /** Lines it wrote, if they are known. */
  added: string[][];
  /** The text of the script, or empty. */
  script: string;
  /** The whole content before is known, because the same turn wrote it shortly before, or it does not matter. */
  isSure: boolean;
  /** What its turn saw of the file before and after the change. */
  before: readonly FileOutput[];
  after: FileOutput[];
}

/** What is known about a version of the file besides its content. */
export interface SnapshotFacts {
  isRevert: boolean;
  /** Contents of the file on the branches that were merged in it. */
  merged: readonly (readonly string[])[];
  /** The turn that committed it; null when none is known to have. */
  by: string | null;
}

/** Within this time, in ms, what a turn saw is taken for what it found and left: nobody else had time to change it. */
const SAME_LOOK_MS = 600_000;

/** Maximum number of lines kept of former states, to recognise when a file returns to one of them. */
const MOST_KEPT = 5_000_000;

/**
 * Replays one file through its recorded changes. Every line knows the change that wrote it. When a change does not fit
 * the expected content, something unrecorded happened before it: the lines that the change expects are taken over with
 * unknown origin.
 */
export class FileReplay {
  #lines: readonly Line[];
  #exists = true;
  #steps: Step[] = [];
  /** Changes whose place was not found, scripts and formatters: what they wrote may turn up later. */
  #unplaced: UnplacedChange[] = [];
  /** Contents at the end of turns and in snapshots, by the hash of the text. */
  readonly #states = new Map<string, readonly Line[]>();
  #kept = 0;
  /** Content in the last snapshot from git. */
  #committed: readonly Line[] | null = null;
  #turns = 0;
  /** What the current turn saw of the file. */
  #looks: FileOutput[] = [];
  /** When the current turn knew the whole content; null when it does not. */
  #knownAt: number | null = null;
  /** The change after which the content is unknown. */
  #unseenBy: EditEvent | null = null;
  /** State at the start of the current turn, and whether the turn wrote the whole file. */
  #opened: { lines: readonly Line[]; steps: Step[]; isRewritten: boolean } | null = null;

  /** `base`: null when the content is unknown. */
  constructor(base: readonly string[] | null) {
    this.#lines = (base ?? []).map((text) => ({ text, origin: unknown("before_records") }));
    if (base) this.#keep();
  }

  /** Marks the current content as committed. */
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

  /** Takes note of what the current turn sees of the file. */
  look(event: EditEvent): void {
    const { edit, time } = event;
    if (edit.kind === "absent" && this.#lines.length === 0) [this.#exists, this.#knownAt] = [false, time];
    if (edit.kind !== "shown") return;
    const shown = new FileOutput(edit.text, time);
    this.#looks.push(shown);
    for (const one of edit.isAlone ? this.#unplaced : [])
      if (turnKey(one.event) === turnKey(event) && time - one.event.time < SAME_LOOK_MS) one.after.push(shown);
  }

  #wait(event: EditEvent, added: string[][], script: string): void {
    const { edit, time } = event;
    const isNew = this.#lines.length === 0 && this.#steps.length === 0;
    const isMade = edit.kind === "output" && (edit.ifNew !== true || isNew);
    const isSure = isMade || (this.#knownAt !== null && time - this.#knownAt < SAME_LOOK_MS);
    const before = this.#looks.filter((one) => time - one.time < SAME_LOOK_MS);
    this.#unplaced.push({ event, added, script, isSure, before, after: [] });
  }

  /**
   * Combines what one turn did into one change, from its start to its end: what the turn undid itself does not count,
   * and equal adjacent lines are attributed as a diff of start and end shows them.
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

  /**
   * Another file takes the place of this one: lines in both keep their identity, the rest comes from the other file.
   */
  overlay(lines: readonly Line[]): void {
    this.#open();
    this.#exists = true;
    const [before, after] = [this.texts, lines.map(({ text }) => text)];
    for (const { a0, a1, b0, b1 } of changesOf(before, after).toReversed())
      this.#swap(a0, a1, lines.slice(b0, b1), this.#turns);
  }

  /** The file is gone, and it is unknown who removed it. */
  vanish(): void {
    this.#exists = false;
    this.#swap(0, this.#lines.length, [], null);
    this.#unplaced = [];
  }

  /** Keeps the current state, in case the file returns to it. */
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
    // A text that ends with a line break ends with its line.
    const lineEnd = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1 || text.length;
    const region = text.slice(lineStart, lineEnd);
    const first = breaksIn(text, only);
    this.#become(first, first + linesOf(region).length, linesOf(region.replaceAll(old, () => fresh)), { by: event });
    return true;
  }

  /**
   * The command found nothing to do, or undid an unrecorded change: the origin of the lines it would have written is
   * ambiguous.
   */
  #doubtAll(puts: readonly string[]): void {
    const doubted = this.#lines.map((line) =>
      line.origin.by && puts.some((text) => line.text.includes(text))
        ? { text: line.text, origin: unknown("ambiguous") }
        : line,
    );
    if (doubted.some((line, i) => line !== this.#lines[i])) this.#assume(doubted);
  }

  /** Takes over lines that something unrecorded left before the current turn. */
  #assume(lines: readonly Line[]): void {
    const isFirst = this.#opened?.lines === this.#lines;
    this.#lines = lines;
    if (isFirst && this.#opened) this.#opened = { ...this.#opened, lines, steps: [...this.#steps] };
  }

  /**
   * The change succeeded although the text to replace is missing, and its result is there exactly once: something
   * unrecorded had undone an earlier change in between.
   */
  #again(event: EditEvent, before: string, after: string): boolean {
    const text = `${this.texts.join("\n")}\n`;
    const places = placesOf(text, after);
    const [only] = places;
    if (only === undefined || places.length > 1 || !isDistinctive(after)) return false;
    const first = breaksIn(text, only);
    const lineStart = text.lastIndexOf("\n", only - 1) + 1;
    const lineEnd = text.indexOf("\n", only + after.length - 1) + 1 || text.length;
    const region = text.slice(lineStart, lineEnd);
    const [now, then] = [linesOf(region), linesOf(region.replace(after, () => before))];
    const old = then.map((line): Line => ({ text: line, origin: unknown("changed_outside") }));
    const kept = changesOf(now, then);
    // Lines that the change names only as context keep their identity.
    for (const { a0, b0 } of equalRuns(kept, now.length))
      old[b0] = this.#lines[first + a0] ?? old[b0] ?? unknownLine(b0, then);
    this.#assume([...this.#lines.slice(0, first), ...old, ...this.#lines.slice(first + now.length)]);
    this.#become(first, first + then.length, now, { by: event });
    return true;
  }

  #patch(event: EditEvent, hunks: readonly PatchHunk[]): void {
    let cursor = 0;
    for (const { before, after, behind } of hunks) {
      const texts = this.texts;
      if (behind !== null) {
        const at = findLines(texts, [behind], cursor);
        if (at !== -1) cursor = at + 1;
      }
      if (before.length === 0) {
        // Without a place it is appended.
        const at = behind === null ? texts.length : cursor;
        this.#put(at, at, after, { by: event });
        cursor = at + after.length;
        continue;
      }
      const at = findLines(texts, before, cursor);
      if (at !== -1) {
        this.#become(at, at + before.length, after, { by: event });
        cursor = at + after.length;
      } else if (!this.#nearly(event, before, after)) this.#leave(event, [[before.join("\n"), after.join("\n")]]);
    }
  }

  /** Finds the place by lines that occur exactly once; the other lines were changed by something unrecorded before. */
  #nearly(event: EditEvent, before: readonly string[], after: readonly string[]): boolean {
    const texts = this.texts;
    const places = before.flatMap((text, i) => {
      const at = texts.indexOf(text);
      const isSign = isDistinctive(text) && at !== -1 && at === texts.lastIndexOf(text);
      return isSign && before.indexOf(text) === before.lastIndexOf(text) ? [{ i, at }] : [];
    });
    const [first, last] = [places[0], places.at(-1)];
    const inOrder = places.every(({ at }, n) => n === 0 || at > (places[n - 1]?.at ?? -1));
    if (!first || !last || !inOrder) return false;
    // A place of very different length is not the same one.
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
      added.filter((lines) => lines.some(isDistinctive)),
      "",
    );
  }

  /** Replaces lines; those in both versions keep their identity. */
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

  /** Takes over content that is certain: whatever differs was changed by something unrecorded. */
  settle(texts: readonly string[], { isRevert, merged, by }: SnapshotFacts): void {
    const isRewritten = this.#unplaced.some(({ event }) => event.edit.kind === "format");
    const known = this.holds(texts) ? this.#lines : isRewritten ? undefined : this.#states.get(keyOf(texts));
    this.#exists = true;
    if (known) this.#lines = known;
    else this.#differ(texts, isRevert, this.#branchLines(texts, merged), by);
    this.#unplaced = [];
    this.#unseenBy = null;
    this.#keep();
  }

  /** Lines of merged branches whose origin is known, by their index in the merged text. */
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
    // From the end to the front, so that the indexes of earlier lines stay valid.
    for (const [n, change] of [...changes.entries()].toReversed()) {
      const { a0, a1, b0, b1 } = change;
      const step = back[n] ?? null;
      const script = scripted.get(placeName(change, texts.slice(b0, b1)));
      const rewritten = script ?? this.#formatter(texts.slice(b0, b1), before.slice(a0, a1));
      // A recorded change takes precedence over an undone one.
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

  /** The changes that the replacements in scripts make, by place and text. */
  #replacedByScripts(): Map<string, EditEvent> {
    const found = new Map<string, EditEvent>();
    const before = this.texts;
    const text = before.map((line) => `${line}\n`).join("");
    for (const { event, script } of this.#unplaced) {
      const all = script === "" ? [] : replacementsIn(script);
      for (const isEach of all.length > 0 ? [true, false] : []) {
        const after = linesOf(applyReplacements(text, all, isEach));
        for (const change of changesOf(before, after))
          found.set(placeName(change, after.slice(change.b0, change.b1)), event);
      }
    }
    return found;
  }

  /**
   * An undone change restores the earlier lines with their origin if it was itself unrecorded, as when branches are
   * switched, or if all that its turn did is undone. A single line that somebody changes back by hand belongs to
   * whoever did that.
   */
  #isWhole({ turn }: Step, back: readonly (Step | null)[]): boolean {
    return turn === null || this.#steps.every((one) => one.turn !== turn || back.includes(one));
  }

  #takenBack(from: number, to: number, texts: readonly string[]): Step | null {
    const removed = this.#lines.slice(from, to);
    if (!texts.some(isDistinctive) && !removed.some(({ text }) => isDistinctive(text))) return null;
    // When the change left no lines, its neighbours identify the place.
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

  /** The formatter that ran, if the lines have the same letters as those they replace. */
  #formatter(texts: readonly string[], removed: readonly string[]): EditEvent | null {
    const ran = this.#unplaced.findLast(({ event }) => event.edit.kind === "format");
    return ran && texts.some(isDistinctive) && lettersOf(texts) === lettersOf(removed) ? ran.event : null;
  }

  /** Unrecorded lines, unless an unplaced change wrote exactly these or a script contains all of them. */
  #arrived(texts: readonly string[]): Line[] {
    const lines: Line[] = texts.map((text) => ({ text, origin: unknown("changed_outside") }));
    for (const { event, added } of this.#unplaced)
      for (const run of added) {
        const at = findExactly(texts, run, 0);
        if (at !== -1)
          for (let i = 0; i < run.length; i++) lines[at + i] = { text: run[i] ?? "", origin: { by: event } };
      }
    const rest = lines.filter(({ origin }) => origin.by === null).map(({ text }) => text);
    const by = this.#unplaced.findLast(({ script: text }) => text !== "" && rest.every((line) => isIn(text, line)));
    if (!by || !rest.some(isDistinctive)) return lines;
    return lines.map((line) => (line.origin.by === null ? { text: line.text, origin: { by: by.event } } : line));
  }

  /**
   * Attributes lines to a change of unrecorded effect when its turn knew what was there before, and committed the lines
   * or saw them afterwards.
   */
  #proven(lines: readonly Line[], hunk: Hunk, before: readonly string[], by: string | null): readonly Line[] {
    if (lines.every(({ origin }) => origin.by)) return lines;
    for (const one of this.#unplaced.toReversed()) {
      if (one.added.length > 0 || !(one.isSure || showPlaceBefore(one.before, hunk))) continue;
      const seen = by === turnKey(one.event) ? lines.map(() => true) : seenLines(one.after, hunk, before);
      if (seen.includes(true))
        return lines.map((line, i) =>
          seen[i] === true && !line.origin.by ? { text: line.text, origin: { by: one.event } } : line,
        );
    }
    return lines;
  }

  /**
   * An unrecorded change could just as well be placed among equal lines next to it: which of these were there before is
   * unknown.
   */
  #doubt(change: Change, a: readonly string[], b: readonly string[], changes: readonly Change[], n: number): void {
    const [before, next] = [changes[n - 1], changes[n + 1]];
    const up = slideOf(change, a, b, -1, before ? change.a0 - before.a1 : change.a0);
    const down = slideOf(change, a, b, 1, next ? next.a0 - change.a1 : a.length - change.a1);
    if (up === 0 && down === 0) return;
    const size = change.b1 - change.b0;
    // Later changes were applied already, so indexes here are those of the original lines.
    for (let at = change.a0 - up; at < change.a0 + size + down; at++) {
      const line = this.#lines[at];
      // Blank lines and braces stay where git places them: nobody asks for their origin.
      if (line?.origin.by && isDistinctive(line.text))
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

/** Whether a text has letters or digits: blank lines and braces occur in every file. */
export function isDistinctive(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * A file that was written whole, and kept no distinctive line, may be another file: it may have been deleted in
 * between. Then the origin of its blank lines and braces is unknown.
 */
function withoutFiller(before: readonly Line[], after: readonly Line[]): readonly Line[] {
  const telling = new Set(after.map(({ text }) => text).filter(isDistinctive));
  if (telling.size === 0 || before.some(({ text }) => telling.has(text))) return before;
  return before.map((line) =>
    line.origin.by && !isDistinctive(line.text) ? { text: line.text, origin: unknown("ambiguous") } : line,
  );
}

/** Pairs of indexes of the lines that are in both texts. */
function equalRuns(changes: readonly Change[], length: number): { a0: number; b0: number }[] {
  const out: { a0: number; b0: number }[] = [];
  let [a, b] = [0, 0];
  for (const { a0, a1, b1 } of [...changes, { a0: length, a1: length, b1: 0 }]) {
    for (; a < a0; a++, b++) out.push({ a0: a, b0: b });
    [a, b] = [a1, b1];
  }
  return out;
}

function unknownLine(at: number, texts: readonly string[]): Line {
  return { text: texts[at] ?? "", origin: unknown("changed_outside") };
}

/** What a formatter keeps: letters and digits, except for a zero before a decimal point. */
function lettersOf(texts: readonly string[]): string {
  return texts
    .join("\n")
    .replace(/(?<![\d.])0(?=\.\d)/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Shorter lines occur in any script. */
const SHORTEST = 4;

function isIn(script: string, line: string): boolean {
  const text = line.trim();
  return (
    !isDistinctive(text) ||
    (text.length >= SHORTEST && (script.includes(text) || script.includes(JSON.stringify(text).slice(1, -1))))
  );
}

/** Lines that a turn added. Where the diff takes an old line for a new one, the nearest added line gives its origin. */
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

/** Finds lines from an index on: exactly, then without trailing whitespace, then without any surrounding whitespace. */
function findLines(texts: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.trim()]) {
    const at = findExactly(texts.map(form), wanted.map(form), from);
    if (at !== -1) return at;
  }
  return from > 0 ? findLines(texts, wanted, 0) : -1;
}

function findExactly(texts: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return -1;
  for (let at = texts.indexOf(wanted[0] ?? "", from); at !== -1; at = texts.indexOf(wanted[0] ?? "", at + 1))
    if (wanted.every((text, i) => texts[at + i] === text)) return at;
  return -1;
}
