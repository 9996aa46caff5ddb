import { describe, expect, it } from "vitest";
import { replayHistory } from "./history.ts";
import { linesOf, type BlameEdit, type EditEvent } from "./model.ts";

/** Handwritten events: each test has few changes, where genuine sessions have many at once. */
function event(name: string, time: number, edit: BlameEdit): EditEvent {
  const place = { source: "s", session_id: "i", session_path: "/p", line: 1, turn_ref: name };
  return { ...place, edit, time, call_id: name };
}

const path = "/f";
const write = (name: string, time: number, content: string): EditEvent =>
  event(name, time, { kind: "write", path, content });
const replace = (name: string, time: number, before: string, after: string, all = false): EditEvent =>
  event(name, time, { kind: "replace", path, before, after, all });

/** `name: line` or `reason: line`, for every line at the end. */
function originsOf(
  events: readonly EditEvent[],
  end: string,
  snapshots: readonly [time: number, text: string][] = [],
): string[] {
  const seen = { path, from: null, isRevert: false };
  const known = snapshots.map(([time, text]) => ({ ...seen, time, lines: linesOf(text) }));
  const lines = replayHistory({
    path,
    paths: new Set([path]),
    names: new Set([path]),
    events,
    snapshots: known,
    end: linesOf(end),
  });
  return lines.map(({ text, origin }) => `${origin.by ? origin.by.call_id : origin.reason}: ${text}`);
}

describe("blame from recorded changes", () => {
  it("attributes each line to the change that wrote it", () => {
    const events = [
      write("a", 1, "one\ntwo\nthree\n"),
      replace("b", 2, "two\n", "2\n"),
      write("c", 3, "zero\none\n2\nthree\n"),
    ];
    expect(originsOf(events, "zero\none\n2\nthree\n")).toEqual(["c: zero", "a: one", "b: 2", "a: three"]);
  });

  it("attributes blank and common lines to nobody if a file was overwritten completely", () => {
    const old = write("a", 1, "one {\n}\n\ntwo\n");
    const end = "three {\n}\n\nfour\n";
    expect(originsOf([old, write("b", 2, end)], end)).toEqual(["b: three {", "ambiguous: }", "ambiguous: ", "b: four"]);
    // If a distinctive line stayed, it is still the same file; a turn that undoes its own change changed nothing.
    const more = "one {\n}\n\nfour\n";
    expect(originsOf([old, write("b", 2, more)], more)).toEqual(["a: one {", "a: }", "a: ", "b: four"]);
    const broken = [write("b", 2, "broken\n\n"), write("b", 3, "one {\n}\n\ntwo\n")];
    expect(originsOf([old, ...broken], "one {\n}\n\ntwo\n")).toEqual(["a: one {", "a: }", "a: ", "a: two"]);
  });

  it("applies replacements that begin or end inside a line, once or everywhere", () => {
    const events = [write("a", 1, "x = old + old\ny = old\nz\n"), replace("b", 2, "old", "new", true)];
    expect(originsOf(events, "x = new + new\ny = new\nz\n")).toEqual(["b: x = new + new", "b: y = new", "a: z"]);
    expect(originsOf([write("a", 1, "f(a)\ng\n"), replace("b", 2, "(a)\ng", "(b)\ng")], "f(b)\ng\n")).toEqual([
      "b: f(b)",
      "a: g",
    ]);
    expect(originsOf([write("a", 1, "one\ntwo\n"), replace("b", 2, "two\n", "")], "one\n")).toEqual(["a: one"]);
  });

  it("attributes earlier content and unrecorded changes to nobody", () => {
    expect(originsOf([replace("b", 5000, "two", "2")], "one\n2\n", [[1000, "one\ntwo\n"]])).toEqual([
      "before_records: one",
      "b: 2",
    ]);
    // Without git the earlier content is found by undoing the change.
    expect(originsOf([replace("b", 5, "two", "2")], "one\n2\n")).toEqual(["before_records: one", "b: 2"]);
    expect(originsOf([write("a", 1, "one\ntwo\n")], "one\nhuman\ntwo\n")).toEqual([
      "a: one",
      "changed_outside: human",
      "a: two",
    ]);
  });

  it("applies a change next to an unrecorded change", () => {
    const events = [
      write("a", 1, "head\nalpha\nbeta\ntail\n"),
      replace("b", 2, "alpha\nbeta 2\n", "alpha\nbeta 2\ngamma\n"),
    ];
    expect(originsOf(events, "head\nalpha\nbeta 2\ngamma\ntail\n")).toEqual([
      "a: head",
      "a: alpha",
      "changed_outside: beta 2",
      "b: gamma",
      "a: tail",
    ]);
  });

  it("restores the origin of a line if its change is undone", () => {
    const events = [write("a", 1, "one\ntwo\n"), replace("b", 2, "two", "2\nthree")];
    expect(originsOf(events, "one\ntwo\n")).toEqual(["a: one", "a: two"]);
  });

  it("attributes a line restored by hand to nobody if the rest of the change remains", () => {
    const events = [write("a", 1, "x = old\ny\ny\nz = old\n"), replace("b", 2, "old", "new", true)];
    expect(originsOf(events, "x = old\ny\ny\nz = new\n")).toEqual([
      "changed_outside: x = old",
      "a: y",
      "a: y",
      "b: z = new",
    ]);
    // The whole change was undone, or undone and made again.
    expect(originsOf(events, "x = old\ny\n# more\ny\nz = old\n")).toEqual([
      "a: x = old",
      "a: y",
      "changed_outside: # more",
      "a: y",
      "a: z = old",
    ]);
    const away: [number, string][] = [
      [60_000, "x = old\ny\ny\nz = old\n"],
      [70_000, "x = new\ny\ny\nz = new\n"],
    ];
    expect(originsOf(events, "x = new\ny\ny\nz = new\n", away)[0]).toBe("b: x = new");
  });

  it("attributes a line to an edit that was repeated after an unrecorded change back", () => {
    const events = [write("a", 1, "f(x)\ng(old)\nh(x)\n"), replace("b", 2, "g(old)", "g(new)")];
    // It is not recorded that somebody restored the old line.
    const again = replace("c", 3, "f(x)\ng(old)", "f(x)\ng(new)");
    expect(originsOf([...events, again], "f(x)\ng(new)\nh(x)\n")).toEqual(["a: f(x)", "c: g(new)", "a: h(x)"]);
    // A command that finds nothing to do succeeds too: the origin is then unknown.
    const rewrite = (lines: readonly string[]): string[] => lines.map((line) => line.replace("g(old)", "g(new)"));
    const stream = event("c", 3, { kind: "stream", path, rewrite, puts: ["g(new)"] });
    expect(originsOf([...events, stream], "f(x)\ng(new)\nh(x)\n")).toEqual(["a: f(x)", "ambiguous: g(new)", "a: h(x)"]);
  });

  it("treats all changes of one turn as one change", () => {
    const turn = (one: EditEvent): EditEvent => ({ ...one, turn_ref: "T0002" });
    const first = write("a", 1, "one\ntwo\n");
    const undone = [turn(replace("b", 2, "two", "2")), turn(replace("c", 3, "2", "two"))];
    expect(originsOf([first, ...undone], "one\ntwo\n")).toEqual(["a: one", "a: two"]);
    const again = [turn(event("b", 2, { kind: "delete", path })), turn(write("c", 3, "one\ntwo\nthree\n"))];
    expect(originsOf([first, ...again], "one\ntwo\nthree\n")).toEqual(["a: one", "a: two", "c: three"]);
  });

  it("does not attribute a line that was removed and typed again elsewhere", () => {
    const events = [write("a", 1, "one\ntwo\nthree\nfour\n")];
    const snapshots: [number, string][] = [[60_000, "one\nthree\nfour\n"]];
    expect(originsOf(events, "one\nthree\nfour\ntwo\n", snapshots).at(-1)).toBe("changed_outside: two");
  });

  it("treats a line as ambiguous if an equal unrecorded line is next to it", () => {
    expect(originsOf([write("a", 1, "log()\nend\n")], "log()\nlog()\nend\n")).toEqual([
      "ambiguous: log()",
      "changed_outside: log()",
      "a: end",
    ]);
  });

  it("orders a commit and changes of the same second by content", () => {
    const events = [write("a", 10_500, "one\n"), replace("b", 10_900, "one", "1")];
    // Committed between the two, or after both: git shows only the second.
    expect(originsOf(events, "1\n", [[10_000, "one\n"]])).toEqual(["b: 1"]);
    expect(originsOf(events, "1\n", [[10_000, "1\n"]])).toEqual(["b: 1"]);
  });

  it("applies a patch after the line it names, and a pure insertion at the end of the file", () => {
    const patch = (
      name: string,
      time: number,
      hunks: { before: string[]; after: string[]; behind: string | null }[],
    ): EditEvent => event(name, time, { kind: "patch", path, hunks, to: null });
    const file = "class A:\n  x = 1\nclass B:\n  x = 1\n";
    const second = patch("b", 2, [{ before: ["  x = 1"], after: ["  x = 2"], behind: "class B:" }]);
    expect(originsOf([write("a", 1, file), second], "class A:\n  x = 1\nclass B:\n  x = 2\n").at(-1)).toBe(
      "b:   x = 2",
    );
    const added = patch("b", 2, [{ before: [], after: ["end"], behind: null }]);
    expect(originsOf([write("a", 1, "one\n"), added], "one\nend\n")).toEqual(["a: one", "b: end"]);
  });

  it("attributes the lines of a merged branch by the state the branch had", () => {
    const events = [write("a", 1000, "one\nend\n"), replace("b", 10_000, "end", "branch\nend")];
    const branch = ["one", "branch", "end"];
    const seen = { path, from: null, isRevert: false };
    const query = {
      path,
      paths: new Set([path]),
      names: new Set([path]),
      events,
      end: ["one", "main", ...branch.slice(1)],
    };
    const main = { ...seen, time: 20_000, lines: ["one", "main", "end"] };
    const originsWith = (merged: string[][]): (string | null)[] =>
      replayHistory({ ...query, snapshots: [main, { ...seen, time: 30_000, lines: query.end, merged }] }).map(
        ({ origin }) => origin.by?.call_id ?? null,
      );
    expect(originsWith([branch])).toEqual(["a", null, "b", "a"]);
    // Nothing is known about a branch that was never seen.
    expect(originsWith([["one", "branch", "other", "end"]])).toEqual(["a", null, null, "a"]);
  });
});
