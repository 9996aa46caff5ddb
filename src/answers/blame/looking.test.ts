import { describe, expect, it } from "vitest";
import type { ToolView } from "../../views/tool-view.ts";
import { editEvents } from "./calls.ts";
import { replayHistory } from "./history.ts";
import { commitsMade, looksAt, type PrintedCall } from "./looking.ts";
import { linesOf, type Snapshot } from "./model.ts";

interface Step {
  /** The turn of the call. */
  turn: number;
  run?: string;
  /** A tool that prints a file. */
  read?: string;
  prints?: string;
  /** Minutes added to the time of the call. */
  at?: number;
}

/** Handwritten calls with their output, ten seconds apart, with the working directory `/r`. */
function callsOf(steps: readonly Step[]): PrintedCall[] {
  return steps.map(({ turn, run, read, prints = "", at = 0 }, n) => {
    const [name, input] = read === undefined ? ["Bash", { command: run ?? "" }] : ["Read", { file_path: read }];
    const view: ToolView = {
      source: "s",
      session_id: "i",
      session_path: "/p",
      parent_call_id: null,
      start_line: n,
      end_line: n,
      call_id: String(n),
      turn_ref: `T${turn}`,
      name,
      input,
      status: "ok",
      exit_code: null,
      duration_ms: 0,
      started_at: new Date(n * 10_000 + at * 60_000).toISOString(),
      error: null,
      risks: [],
    };
    const here = (path: string): string | null => (path === "/r" || path.startsWith("/r/") ? path : null);
    return { call: { view, cwd: "/r", here }, output: prints };
  });
}

/** The origin of each line of `/r/f` at the end: the number of the call, or why it is unknown. */
function originsOf(steps: readonly Step[], end: string, snapshots: readonly Snapshot[] = [], name = "f"): string[] {
  const calls = callsOf(steps);
  const path = `/r/${name}`;
  const names = new Set([path]);
  const paths = new Set([path, "/r/t"]);
  const events = [...editEvents(calls.map(({ call }) => call)), ...looksAt(calls, paths)];
  const query = { path, paths, names, snapshots, commits: commitsMade(calls), end: linesOf(end) };
  const lines = replayHistory({ ...query, events: events.toSorted((a, b) => a.time - b.time) });
  return lines.map(({ text, origin }) => `${origin.by ? origin.by.call_id : origin.reason}: ${text}`);
}

const attributedTo = (call: number, text: string): string[] => linesOf(text).map((line) => `${call}: ${line}`);

describe("the output of a program in a file", () => {
  const table = "--\nAnna 1\nBertha 2\n--\n";
  it.each<[how: string, steps: Step[]]>([
    ["the same call", [{ turn: 1, run: "python3 make.py > f && cat f", prints: table }]],
    [
      "a later call of the turn",
      [
        { turn: 1, run: "python3 make.py > f" },
        { turn: 1, run: "cat f", prints: table },
      ],
    ],
    [
      "a tool that reads the file",
      [
        { turn: 1, run: "make > f" },
        { turn: 1, read: "/r/f", prints: "1\t--\n2\tAnna 1\n3\tBertha 2\n4\t--" },
      ],
    ],
    [
      "output with other text around it",
      [{ turn: 1, run: "make > f; cat f", prints: `Chunk ID: 1\nOutput:\n${table}` }],
    ],
    ["the program itself", [{ turn: 1, run: "make | tee f", prints: table }]],
    ["a print of what a filter wrote", [{ turn: 1, run: "sed s/x/y/ g > f; head -50 f", prints: table }]],
    ["a print after another file was moved there", [{ turn: 1, run: "sort x > t && mv t f && cat f", prints: table }]],
  ])("is attributed to it if shown by %s", (_, steps) => {
    expect(originsOf(steps, table)).toEqual(attributedTo(0, table));
    // Lines inserted or changed later are not attributed to it.
    expect(originsOf(steps, table.replace("Bertha 2\n", "Bertha 2\nCarl 3\n"))[3]).toBe("changed_outside: Carl 3");
    expect(originsOf(steps, table.replace("Bertha 2", "Bertha 3"))[2]).toBe("changed_outside: Bertha 3");
  });

  it("is attributed to nobody if no call of its turn prints exactly this file soon after", () => {
    const made: Step = { turn: 1, run: "python3 make.py > f" };
    const unattributed = linesOf(table).map((line) => `changed_outside: ${line}`);
    expect(originsOf([made], table)).toEqual(unattributed);
    expect(originsOf([made, { turn: 2, run: "cat f", prints: table }], table)).toEqual(unattributed);
    expect(originsOf([made, { turn: 1, run: "cat f", prints: table, at: 11 }], table)).toEqual(unattributed);
    expect(originsOf([made, { turn: 1, run: "cat g f", prints: table }], table)).toEqual(unattributed);
    expect(originsOf([made, { turn: 1, run: "cat g", prints: table }], table)).toEqual(unattributed);
    expect(originsOf([made, { turn: 1, run: "cat f | sort", prints: table }], table)).toEqual(unattributed);
  });

  it("is attributed to it if its turn committed the file", () => {
    const seen = (subject: string, lines: string): Snapshot => ({
      time: 0,
      path: "/r/f",
      from: null,
      isRevert: false,
      subject,
      lines: linesOf(lines),
    });
    const steps = [{ turn: 1, run: "make > f; git add -A; git commit -qm 'A table'" }];
    expect(originsOf(steps, table, [seen("A table", table)])).toEqual(attributedTo(0, table));
    expect(originsOf(steps, `${table}more 5\n`, [seen("A table", table)]).at(-1)).toBe("changed_outside: more 5");
    expect(originsOf(steps, table, [seen("By hand", table)])[1]).toBe("changed_outside: Anna 1");
    // A commit with the same subject, but at another time.
    expect(originsOf(steps, table, [{ ...seen("A table", table), time: 5000 }])[1]).toBe("changed_outside: Anna 1");
  });
});

describe("changes a program made to a file", () => {
  const before = "def a():\n    pass\n\n\ndef b():\n    pass\n";
  const after = before.replace("def b():\n    pass", "def b(x):\n    return x");
  const wrote: Step = { turn: 0, run: `cat > f <<'E'\n${before}E` };
  const fix: Step = { turn: 1, run: "python3 fix.py f" };
  const lines = [...attributedTo(0, before).slice(0, 4), "2: def b(x):", "2: return x"].map((line) =>
    line.replace("2: return", "2:     return"),
  );

  it.each<[how: string, look: Step, then: Step]>([
    ["printed", { turn: 1, run: "cat f", prints: before }, { turn: 1, run: "cat f", prints: after }],
    [
      "read in part",
      { turn: 1, run: "sed -n 3,6p f", prints: linesOf(before).slice(2).join("\n") },
      { turn: 1, run: "tail -n 3 f", prints: linesOf(after).slice(-3).join("\n") },
    ],
    [
      "compared by git diff",
      { turn: 1, run: "cat f", prints: before },
      {
        turn: 1,
        run: "git diff f",
        prints: "--- a/f\n+++ b/f\n@@ -3,4 +3,4 @@\n \n \n-def b():\n-    pass\n+def b(x):\n+    return x",
      },
    ],
  ])("are attributed to it if its turn saw the file before and after: %s", (_, look, then) => {
    expect(originsOf([wrote, look, fix, then], after)).toEqual(lines);
    // Without the first print the change may be older; without the second it may be newer.
    const unattributed = lines.map((line) => line.replace("2:", "changed_outside:"));
    expect(originsOf([wrote, { turn: 1, run: "true" }, fix, then], after)).toEqual(unattributed);
    expect(originsOf([wrote, look, fix], after)).toEqual(unattributed);
    expect(originsOf([wrote, { ...look, turn: 0 }, fix, then], after)).toEqual(unattributed);
    // Nothing was run that could have changed it.
    expect(originsOf([wrote, look, { turn: 1, run: "python3 -m pytest f" }, then], after)).toEqual(unattributed);
  });

  it("are attributed to it if the file was printed among others before, but not if so after", () => {
    const [look, then] = [
      { turn: 1, run: "cat g f", prints: `x 1\n${before}` },
      { turn: 1, run: "cat f", prints: after },
    ];
    expect(originsOf([wrote, look, fix, then], after)).toEqual(lines);
    expect(originsOf([wrote, look, fix, { ...then, run: "cat g f" }], after).at(-1)).toBe(
      "changed_outside:     return x",
    );
  });

  it("do not include lines inserted later that equal others in the file", () => {
    const steps = [wrote, { turn: 1, run: "cat f", prints: before }, fix, { turn: 1, run: "cat f", prints: before }];
    const doubled = before.replace("\n\n\ndef b", "\n\n\ndef c():\n    pass\n\n\ndef b");
    const origins = originsOf(steps, doubled);
    expect(origins.filter((line) => line.startsWith("2:"))).toEqual([]);
    expect(origins.filter((line) => line.includes("def c"))).toEqual(["changed_outside: def c():"]);
  });

  it("are attributed to it if its turn wrote the file shortly before", () => {
    const steps = [{ ...wrote, turn: 1 }, fix, { turn: 1, run: "cat f", prints: after }];
    expect(originsOf(steps, after)).toEqual(lines.map((line) => line.replace("2:", "1:")));
    const late = steps.map((step, n) => ({ ...step, at: n === 0 ? 0 : 11 }));
    expect(originsOf(late, after).at(-1)).toBe("changed_outside:     return x");
  });
});

describe("files written by package managers", () => {
  const made = '{\n  "name": "r",\n  "version": "1.0.0"\n}\n';
  const cat: Step = { turn: 1, run: "cat package.json", prints: made };
  const originsInPackage = (steps: Step[], end = made, snapshots: Snapshot[] = []): string[] =>
    originsOf(steps, end, snapshots, "package.json");

  it("are attributed to the command that created them if they were printed", () => {
    expect(originsInPackage([{ turn: 1, run: "npm init -y >/dev/null" }, cat])).toEqual(attributedTo(0, made));
    expect(originsInPackage([{ turn: 1, run: "npm init -y" }]).at(1)).toBe('changed_outside:   "name": "r",');
    // The file existed before.
    const there = { path: "/r/package.json", from: null, isRevert: false, subject: "x" };
    const old = [{ ...there, time: -5000, lines: ["{", '  "name": "r"', "}"] }];
    expect(originsInPackage([{ turn: 1, run: "npm init -y" }, cat], made, old)[1]).toBe(
      'changed_outside:   "name": "r",',
    );
    expect(
      originsOf(
        [{ turn: 1, run: "go mod init x && cat go.mod", prints: "module x\n\ngo 1.23" }],
        "module x\n\ngo 1.23\n",
        [],
        "go.mod",
      )[0],
    ).toBe("0: module x");
  });

  it("are attributed to the command if a listing showed that they did not exist before", () => {
    const install = { turn: 1, run: "npm install left-pad" };
    const listed = (prints: string): string[] => originsInPackage([{ turn: 1, run: "ls -a", prints }, install, cat]);
    expect(listed(".\n..\nREADME.md\n")).toEqual(attributedTo(1, made));
    expect(listed("README.md\npackage.json\n")[1]).toBe('changed_outside:   "name": "r",');
  });

  it("have the lines that npm pkg set wrote attributed to it", () => {
    const wrote = { turn: 0, run: `cat > package.json <<'E'\n${made}E` };
    const set = { turn: 1, run: "npm pkg set version=2.0.0 scripts.test='node --test'" };
    const end = '{\n  "name": "r",\n  "version": "2.0.0",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n';
    expect(originsInPackage([wrote, set], end)).toEqual(
      linesOf(end).map((line, i) => `${i < 2 || i === 6 ? 0 : 1}: ${line}`),
    );
  });
});
