import { basename } from "node:path";
import type { FileSet } from "./file-sets.ts";
import type { EditEvent, Line, Snapshot } from "./model.ts";
import { FileReplay } from "./replay.ts";

/** The lines of a file before its first recorded change, as far as they can be known. */
export type Base = (path: string, event: EditEvent) => string[];

/** The files that a blame is about, as they are created, deleted and moved. */
export class ReplayedFiles {
  readonly #at = new Map<string, FileReplay>();
  /** Files that the current turn touched. */
  readonly #open = new Set<FileReplay>();
  readonly #wanted: ReadonlySet<string>;
  readonly #base: Base;

  constructor(wanted: ReadonlySet<string>, base: Base) {
    this.#wanted = wanted;
    this.#base = base;
  }

  linesOf(path: string): FileReplay | null {
    return this.#at.get(path) ?? null;
  }

  exists(path: string): boolean {
    return this.#at.get(path)?.exists === true;
  }

  apply(event: EditEvent): void {
    const { edit } = event;
    if (edit.kind === "move") return this.move(edit.path, edit.to);
    if (edit.kind === "copy") return this.#copy(event, edit.path, edit.to);
    if (edit.kind === "delete" || edit.kind === "format") return this.#below(event, edit.path);
    if (edit.kind === "shown" || edit.kind === "absent") return this.#look(event, edit.path);
    if (edit.kind === "stream" && edit.among) return this.#among(event, edit.path, edit.among);
    if (!this.#wanted.has(edit.path)) return;
    if (edit.kind === "restore" && !this.#at.has(edit.path)) return;
    this.#change(event, edit.path);
    if (edit.kind === "patch" && edit.to !== null) this.move(edit.path, edit.to);
  }

  #change(event: EditEvent, path: string): void {
    const file = this.#fileAt(event, path);
    this.#open.add(file);
    file.apply(event);
  }

  #fileAt(event: EditEvent, path: string): FileReplay {
    let file = this.#at.get(path);
    if (!file) this.#at.set(path, (file = new FileReplay(this.#base(path, event))));
    return file;
  }

  /** For a file without recorded changes only its absence is worth noting. */
  #look(event: EditEvent, path: string): void {
    if (!this.#wanted.has(path)) return;
    const file = event.edit.kind === "absent" ? this.#fileAt(event, path) : this.#at.get(path);
    if (!file) return;
    this.#open.add(file);
    file.look(event);
  }

  /** Applies the change to the files below a directory that are in the set and contain a matching line. */
  #among(event: EditEvent, dir: string, { means, holding }: Pick<FileSet, "means" | "holding">): void {
    // A file that was not seen yet is included only if it can have just one name.
    const unseen = this.#at.size === 0 && this.#wanted.size === 1 ? this.#wanted : [];
    for (const path of [...this.#at.keys(), ...unseen]) {
      if (path !== dir && !(path.startsWith(`${dir}/`) && means(path.slice(dir.length + 1)))) continue;
      const file = this.#fileAt(event, path);
      if (file.exists && (!holding || file.texts.some((text) => holding.test(text)))) this.#change(event, path);
    }
  }

  /** What happens to a directory happens to every file in it. */
  #below(event: EditEvent, path: string): void {
    const isMeant = (at: string): boolean => event.edit.kind !== "format" || event.edit.files.test(at);
    for (const at of this.#at.keys())
      if ((at === path || at.startsWith(`${path}/`)) && isMeant(at)) this.#change(event, at);
  }

  /** The lines of a copy are attributed to the call that made it. */
  #copy(event: EditEvent, from: string, to: string): void {
    for (const [path, file] of Array.from(this.#at)) {
      const at = file.exists ? this.#target(path, from, to) : null;
      if (at === null || !this.#wanted.has(at)) continue;
      if (file.unseenBy) this.#change({ ...event, edit: { kind: "output", path: at } }, at);
      else {
        const content = file.texts.map((text) => `${text}\n`).join("");
        this.#change({ ...event, edit: { kind: "write", path: at, content } }, at);
      }
    }
  }

  move(from: string, to: string): void {
    for (const [path, file] of Array.from(this.#at)) {
      const at = file.exists ? this.#target(path, from, to) : null;
      if (at === null || at === path) continue;
      const there = this.#at.get(at);
      this.#at.delete(path);
      if (!there?.exists) this.#at.set(at, file);
      else if (file.unseenBy) this.#change({ ...file.unseenBy, edit: { kind: "output", path: at } }, at);
      else {
        this.#open.add(there);
        there.overlay(file.lines);
      }
    }
  }

  /** Where a path leads when `from` is moved or copied to `to`: to that path, or into the directory of that name. */
  #target(path: string, from: string, to: string): string | null {
    if (path !== from && !path.startsWith(`${from}/`)) return null;
    const rest = path.slice(from.length);
    const into = `${to}/${basename(from)}${rest}`;
    return this.#wanted.has(into) && !this.#wanted.has(to + rest) ? into : to + rest;
  }

  /** Ends the current turn: all it did to a file becomes one change. */
  close(): void {
    for (const file of this.#open) file.close();
    this.#open.clear();
  }

  /** Takes over a snapshot. `by`: the turn that committed it, if that is known. */
  see({ path, from, lines, isRevert, merged }: Snapshot, by: string | null): void {
    if (from !== null && !this.exists(path)) this.move(from, path);
    const file = this.#at.get(path);
    if (lines === null) file?.vanish();
    else if (file) file.settle(lines, { isRevert, merged: merged ?? [], by });
    else this.#at.set(path, new FileReplay(lines));
    this.#at.get(path)?.commit();
  }

  /** Whether the snapshot would add nothing to what is known. */
  isAsSeen({ path, from, lines }: Snapshot): boolean {
    if (from !== null && this.exists(from)) return false;
    return lines === null ? !this.exists(path) : this.#at.get(path)?.holds(lines) === true;
  }

  /** The lines of the file, settled on its final content. */
  end(path: string, texts: readonly string[]): readonly Line[] {
    const file = this.#at.get(path) ?? new FileReplay(texts);
    file.settle(texts, { isRevert: false, merged: [], by: null });
    return file.lines;
  }
}
