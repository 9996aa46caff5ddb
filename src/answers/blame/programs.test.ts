import { describe, expect, it } from "vitest";
import type { ToolView } from "../../views/tool-view.ts";
import { editEvents } from "./calls.ts";
import { replayHistory } from "./history.ts";
import { linesOf } from "./model.ts";

/** Handwritten shell commands as agents run them, each in its own turn, with the working directory `/r`. */
function events(commands: readonly (string | { failed: string })[]): ReturnType<typeof editEvents> {
  return editEvents(
    commands.map((step, n) => {
      const [command, status] = typeof step === "string" ? [step, "ok" as const] : [step.failed, "failed" as const];
      const view: ToolView = {
        source: "s",
        session_id: "i",
        session_path: "/p",
        parent_call_id: null,
        start_line: n,
        end_line: n,
        call_id: String(n),
        turn_ref: `T${n}`,
        name: "Bash",
        input: { command },
        status,
        exit_code: null,
        duration_ms: 0,
        started_at: new Date(n * 10_000).toISOString(),
        error: null,
        risks: [],
      };
      return { view, cwd: "/r", here: (path: string) => (path === "/r" || path.startsWith("/r/") ? path : null) };
    }),
  );
}

/** The origin of each line of `/r/f` at the end: the number of the command, or why it is unknown. */
function originsOf(
  commands: readonly (string | { failed: string })[],
  end: string,
  paths: string[] = ["/r/f"],
): string[] {
  const names = new Set(paths);
  const query = { path: "/r/f", paths: names, names, events: events(commands), snapshots: [], end: linesOf(end) };
  return replayHistory(query).map(({ text, origin }) => `${origin.by ? origin.by.call_id : origin.reason}: ${text}`);
}

describe("blame from shell commands", () => {
  it("attributes lines that a command prints into the file", () => {
    const commands = ["echo one > f", "echo 'two' >> f", String.raw`printf '%s\n' three "four 4" >> f`, "echo no 2> f"];
    expect(originsOf(commands, "one\ntwo\nthree\nfour 4\n")).toEqual(["0: one", "1: two", "2: three", "2: four 4"]);
    expect(originsOf(["echo -e 'a 1\\nb 2' | tee f", "cat <<EOF | tee -a f\nc 3\n\nEOF"], "a 1\nb 2\nc 3\n\n")).toEqual(
      ["0: a 1", "0: b 2", "1: c 3", "1: "],
    );
    // What the shell inserts is unknown, the text around it is not.
    expect(originsOf(["cat > f <<EOF\nname: $NAME\ncost: \\$5\nEOF"], "name: x\ncost: $5\n")).toEqual([
      "changed_outside: name: x",
      "0: cost: $5",
    ]);
  });

  it.each<[command: string, end: string | null, fresh?: string]>([
    ["sed -i 's/^b\\(.*\\)$/[\\1&]/' f", "a 1\n[ 2b 2]\nc 3\n"],
    ["sed -i -E 's/(b) ([0-9]+)/\\2 \\1/' f", "a 1\n2 b\nc 3\n"],
    ["sed -i '2i above' f", "a 1\nabove\nb 2\nc 3\n", "above"],
    ["sed -i '/^b/a\\' -e 'x' f", null],
    ["sed -i '$a last' f", "a 1\nb 2\nc 3\nlast\n", "last"],
    ["sed -i '2c\\other' f", "a 1\nother\nc 3\n"],
    ["sed -i -e 's/b/B/' -e '3d' f", "a 1\nB 2\n"],
    ["sed -i '2,3s|[[:digit:]]|n|' f", "a 1\nb n\nc n\n"],
    ["sed -i.bak 's/B 2/two/I' f", "a 1\ntwo\nc 3\n"],
    ["perl -pi -e 's/b (\\d)/$1 times/' f", "a 1\n2 times\nc 3\n"],
    ["perl -0pi -e 's/b 2\\nc/both/' f", "a 1\nboth 3\n"],
    ["perl -i -pe 's{b}{B}g; s/2/two/' f", "a 1\nB two\nc 3\n"],
  ])("attributes the lines of the file as far as the command determines them: %s", (command, end, fresh) => {
    const before = "printf 'a 1\\nb 2\\nc 3\\n' > f";
    if (end === null) return expect(originsOf([before, command], "a 1\nb 2\nx\nc 3\n")[2]).toBe("changed_outside: x");
    const old = new Set(["a 1", "b 2", "c 3"]);
    expect(originsOf([before, command], end)).toEqual(
      linesOf(end).map((line) => `${old.has(line) && line !== fresh ? 0 : 1}: ${line}`),
    );
  });

  it("does not attribute changes that the text of a command does not determine", () => {
    for (const command of ["sed -i 's/b/$X/e' f", "sed -n -i '2p' f", "perl -pi -e 's/b/uc($1)/e' f", "awk 1 f > f"])
      expect(originsOf(["printf 'a 1\\nb 2\\n' > f", command], "a 1\nchanged\n").at(-1)).toBe(
        "changed_outside: changed",
      );
    // A pattern that could run for ever is not tried.
    const line = "a".repeat(60);
    expect(originsOf([`echo ${line} > f`, "sed -i -E 's/^(a+)+$/x/' f"], `${line}\n`)).toEqual([`0: ${line}`]);
  });

  it("keeps the origin of equal lines if another file is moved over, and attributes copied lines to cp", () => {
    const paths = ["/r/f", "/r/t", "/r/g"];
    const over = ["printf 'a 1\\nb 2\\n' > f", "awk '{sub(/b/,\"B\")}1' f > t && mv t f"];
    expect(originsOf(over, "a 1\nB 2\n", paths)).toEqual(["0: a 1", "changed_outside: B 2"]);
    const known = ["printf 'a 1\\nb 2\\n' > f", "printf 'a 1\\nc 3\\n' > t", "mv t f"];
    expect(originsOf(known, "a 1\nc 3\n", paths)).toEqual(["0: a 1", "1: c 3"]);
    expect(originsOf(["printf 'a 1\\n' > g", "cp g f", "echo b 2 >> f"], "a 1\nb 2\n", paths)).toEqual([
      "1: a 1",
      "2: b 2",
    ]);
  });

  it("follows files that one command swaps", () => {
    const swap = ["echo one 1 > f", "echo two 2 > g", "mv f t && mv g f && mv t g"];
    expect(originsOf(swap, "two 2\n", ["/r/f", "/r/t", "/r/g"])).toEqual(["1: two 2"]);
    const times = events(swap).map(({ time }) => time);
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  });

  it("starts anew after the file or its directory was removed", () => {
    expect(originsOf(["echo one 1 > f", "rm f", "printf 'one 1\\ntwo 2\\n' > f"], "one 1\ntwo 2\n")).toEqual([
      "2: one 1",
      "2: two 2",
    ]);
    const names = new Set(["/r/d/f"]);
    const commands = events(["echo one 1 > d/f", "rm -rf d", "echo one 1 > d/f"]);
    const query = { path: "/r/d/f", paths: names, names, events: commands, snapshots: [], end: ["one 1"] };
    expect(replayHistory(query)[0]?.origin.by?.call_id).toBe("2");
  });

  it.each([
    ["sed -i 's/two/2/' d/*.py", ["1", "1"]],
    ["grep -rl two d --include='*.py' | xargs sed -i 's/two/2/'", ["1", "1"]],
    ["rg -l two d -g '*.py' | sort | xargs -I{} sed -i 's/two/2/' {}", ["1", "1"]],
    ["git grep -l two | xargs perl -pi -e 's/two/2/'", ["1", "1"]],
    ["sed -i 's/two/2/' $(grep -rlE 't(w|u)o' .)", ["1", "1"]],
    ["find d -name '*.py' -type f -exec sed -i 's/two/2/' {} +", ["1", "1"]],
    ["find . -name '*.py' | xargs sed -i 's/two/2/'", ["1", "1"]],
    ["git ls-files '*.py' | xargs sed -i 's/two/2/'", ["1", "1"]],
    ["for f in d/*.py; do sed -i 's/two/2/' \"$f\"; done", ["1", "1"]],
    ["sed -i 's/two/2/' d/{g,h}.py", ["1", "0"]],
    ["sed -i 's/two/2/' d/*.ts *.py", ["0", "0"]],
    // The command selects other files, or it is unknown which.
    ["grep -rl four d | xargs sed -i 's/two/2/'", ["0", "0"]],
    ["grep -rL two d | xargs sed -i 's/two/2/'", ["0", "0"]],
    ["grep -rl two d | head -1 | xargs sed -i 's/two/2/'", ["0", "0"]],
    ["find d -not -name '*.py' -exec sed -i 's/two/2/' {} +", ["0", "0"]],
  ])("applies a command to the files it selects: %s", (command, [originInG, originInI]) => {
    const first = "printf 'one\\ntwo\\n' | tee d/g.py > d/i.py; printf 'one\\ntwo\\n' > d/i.py";
    for (const [path, by] of [
      ["/r/d/g.py", originInG],
      ["/r/d/i.py", originInI],
    ] as const) {
      const names = new Set([path]);
      const end = ["one", by === "1" ? "2" : "two"];
      const lines = replayHistory({ path, paths: names, names, events: events([first, command]), snapshots: [], end });
      expect(
        lines.map(({ origin }) => origin.by?.call_id),
        path,
      ).toEqual(["0", by]);
    }
  });

  it("applies a command to a file that was renamed later", () => {
    const names = new Set(["/r/new.py", "/r/old.py"]);
    const commands = events(["printf 'one\\ntwo\\n' > old.py", "sed -i 's/two/2/' *.py"]);
    const moved = { time: 20_000, path: "/r/new.py", from: "/r/old.py", lines: ["one", "2"], isRevert: false };
    const query = { path: "/r/new.py", paths: names, names, events: commands, snapshots: [moved], end: ["one", "2"] };
    expect(replayHistory(query).map(({ origin }) => origin.by?.call_id)).toEqual(["0", "1"]);
  });

  it("attributes lines to a script that replaces the old text by the new one", () => {
    const first = "printf 'a = 1\\nb = call(a)\\nc = call(b)\\n' > f";
    const python = [
      "python3 - <<'PY'",
      'from pathlib import Path\np = Path("f")\ntext = p.read_text()',
      'old = """b = call(a)\\n"""\nnew = ("b = call(a,"\n  " 2)\\n")  # of "more"',
      "p.write_text(text.replace(old, new).replace(\"c = call\", 'c = self.call'))\nPY",
    ].join("\n");
    const end = "a = 1\nb = call(a, 2)\nc = self.call(b)\n";
    expect(originsOf([first, python], end)).toEqual(["0: a = 1", "1: b = call(a, 2)", "1: c = self.call(b)"]);
    const joined = python.replace('new = ("b = call(a,"\n  " 2)\\n")', 'new = "b = call(a," + " 2)\\n"');
    expect(joined).not.toBe(python);
    expect(originsOf([first, joined], end)[1]).toBe("1: b = call(a, 2)");
    // Other changes are not attributed.
    expect(originsOf([first, python], `${end}d = 4\n`).at(-1)).toBe("changed_outside: d = 4");
    expect(originsOf([first, python], end.replace("a, 2", "a, 3"))[1]).toBe("changed_outside: b = call(a, 3)");
    const node = `node -e 'fs.writeFileSync("f", fs.readFileSync("f", "utf8").replace("call(", "run("))'`;
    expect(originsOf([first, node], "a = 1\nb = run(a)\nc = call(b)\n")).toEqual([
      "0: a = 1",
      "1: b = run(a)",
      "0: c = call(b)",
    ]);
    // The command names the file and does not write it.
    expect(
      originsOf([first, `python3 -c 'print(text("f").replace("a", "z"))'`], "z = 1\nb = call(a)\nc = call(b)\n")[0],
    ).toBe("changed_outside: z = 1");
  });

  it("applies diffs passed to git apply and patch", () => {
    const diff = (path: string): string => `--- ${path}\n+++ ${path}\n@@ -1,2 +1,3 @@\n a 1\n+new 2\n b 2\nEOF`;
    for (const command of [`git apply <<'EOF'\n${diff("a/f")}`, `patch -p1 <<'EOF'\n${diff("b/f")}`])
      expect(originsOf(["printf 'a 1\\nb 2\\n' > f", command], "a 1\nnew 2\nb 2\n")).toEqual([
        "0: a 1",
        "1: new 2",
        "0: b 2",
      ]);
    const create = "git apply <<'EOF'\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new 2\nEOF";
    expect(originsOf([create], "new 2\n")).toEqual(["0: new 2"]);
    expect(originsOf([create.replace("apply", "apply --check")], "new 2\n")[0]).not.toContain("0:");
  });

  it("undoes changes if the committed file is checked out", () => {
    const names = new Set(["/r/f"]);
    const commands = ["printf 'a 1\\nb 2\\n' > f", "sed -i s/b/B/ f", "git checkout -- f", "sed -i s/a/A/ f"];
    const snapshots = [{ time: 1000, path: "/r/f", from: null, lines: ["a 1", "b 2"], isRevert: false }];
    const query = { path: "/r/f", paths: names, names, snapshots, end: ["A 1", "b 2"] };
    const one = events(commands).map((event) => ({ ...event, turn_ref: "T1" }));
    expect(replayHistory({ ...query, events: one }).map(({ origin }) => origin.by?.call_id)).toEqual(["3", "0"]);
    // Another commit may contain anything.
    const other = events(commands.with(2, "git checkout HEAD~2 -- f")).map((event) => ({ ...event, turn_ref: "T1" }));
    expect(replayHistory({ ...query, events: other })[1]?.origin.by).toBeNull();
  });

  it("attributes lines to a script that writes the file and contains all new lines", () => {
    const script = `python3 - <<'PY'\nopen("f", "w").write("\\n".join(["unit = km", "colour = green"]))\nPY`;
    expect(originsOf([script], "unit = km\ncolour = green\n")).toEqual(["0: unit = km", "0: colour = green"]);
    expect(originsOf([script], "unit = km\ncolour = red\n")[0]).toBe("changed_outside: unit = km");
    const reads = `python3 -c 'assert "unit = km" in data("f")'`;
    expect(originsOf([reads], "unit = km\n")[0]).not.toContain("0:");
  });

  it("attributes lines to a conditional command only if they appear in the file", () => {
    const first = "printf 'own 1\\nown 2\\n' > f";
    for (const command of ["[ -f f ] || echo other 3 > f", "if ! [ -f f ]; then\necho other 3 > f\nfi"]) {
      expect(originsOf([first, command], "own 1\nown 2\nhand 4\n")).toEqual([
        "0: own 1",
        "0: own 2",
        "changed_outside: hand 4",
      ]);
      expect(originsOf([command], "other 3\n"), command).toEqual(["0: other 3"]);
    }
    expect(originsOf(["if true; then echo a; fi; echo sure 1 > f"], "sure 1\nhand 2\n")[0]).toBe("0: sure 1");
  });

  it("replays a loop for each of its words if these are known", () => {
    const loop = 'for k in f pear; do echo "$k: 3" > $k; sed -i "s/3/4/" "$k"; done';
    expect(originsOf([loop], "f: 4\nhand\n")).toEqual(["0: f: 4", "changed_outside: hand"]);
    const nested = "for a in f; do for b in 1 2; do\necho $a$b >> $a\ndone; done; echo end >> f";
    expect(originsOf([nested], "f1\nf2\nend\n")).toEqual(["0: f1", "0: f2", "0: end"]);
    // It is unknown which words the loop visits: only lines that appear in the file are assumed to be written.
    for (const unsure of [
      "for k in *; do echo own 3 > f; done",
      "for k in a f; do break; echo own 3 > $k; done",
      "for k in $(ls); do echo own 3 > f; done",
      "false || for k in f; do echo own 3 > f; done",
      "while read k; do echo own 3 > f; done",
    ])
      expect(originsOf(["echo first 1 > f", unsure], "first 1\n"), unsure).toEqual(["0: first 1"]);
    expect(originsOf(["for k in f; do echo own 3; done > f"], "own 3\n")[0]).not.toContain("0:");
  });

  it.each([
    ["npx prettier --write f.ts", true],
    ["npx -y prettier@3.1.0 --write src .", true],
    ["prettier --write '**/*.ts'", true],
    ["npm run format", true],
    ["npm run -s format", true],
    ["cd .. && npm --prefix r run format", true],
    ["npm --prefix web run format", false],
    ["npm run build && pnpm format", true],
    ["./node_modules/.bin/eslint --fix .", true],
    ["npx oxfmt f.ts", true],
    ["prettier --check f.ts", false],
    ["npx oxfmt --check f.ts", false],
    ["npm run format:check", false],
    ["npm format", false],
    ["prettier --write other", false],
    ["gofmt -w .", false],
    ["black .", false],
    ["cat f.ts", false],
  ])(
    "attributes reformatted lines to a formatter that wrote the file, to nothing else: %s",
    (command, isAttributed) => {
      const names = new Set(["/r/f.ts"]);
      const first = "cat > f.ts <<'E'\nconst a = {b:1,\n  c:'x'}\nexport { a }\nE";
      const end = linesOf('const a = { b: 1, c: "x" };\nexport { a };\n');
      const query = { path: "/r/f.ts", paths: names, names, events: events([first, command]), snapshots: [], end };
      const by = replayHistory(query).map(({ origin }) => origin.by?.call_id ?? null);
      expect(by).toEqual(isAttributed ? ["1", "1"] : [null, null]);
      // It may have failed on another file.
      const failed = replayHistory({
        ...query,
        events: events([first, { failed: command.replace("npm run build && ", "") }]),
      });
      expect(failed.map(({ origin }) => origin.by?.call_id ?? null)).toEqual(by);
      // Lines that differ in more than formatting were written by somebody else.
      const other = replayHistory({ ...query, end: linesOf('const a = { b: 2, c: "x" };\nexport { a };\n') });
      expect(other[0]?.origin.by).toBeNull();
    },
  );

  it("attributes lines to a formatter that restored an earlier formatting", () => {
    const names = new Set(["/r/f.ts"]);
    const [wide, narrow] = [
      ["const a = [1, 2, 3];", "use(a);"],
      ["const a = [", "  1, 2, 3,", "];", "use(a);"],
    ];
    const snapshots = [{ time: 5000, path: "/r/f.ts", from: null, lines: narrow, isRevert: false }];
    const commands = [`cat > f.ts <<'E'\n${wide.join("\n")}\nE`, "npx prettier --write f.ts"];
    const query = { path: "/r/f.ts", paths: names, names, events: events(commands), snapshots, end: wide };
    expect(replayHistory(query).map(({ origin }) => origin.by?.call_id)).toEqual(["1", "0"]);
    // Without a formatter it is treated like a switch of branches.
    const other = replayHistory({ ...query, events: events(commands.slice(0, 1)) });
    expect(other.map(({ origin }) => origin.by?.call_id)).toEqual(["0", "0"]);
  });

  it("attributes lines to a formatter that added a leading zero, not if digits were removed", () => {
    const names = new Set(["/r/f.css"]);
    const commands = ["printf 'td{padding:.3rem 1.50em}\\n' > f.css", "npx prettier --write ."];
    const query = { path: "/r/f.css", paths: names, names, events: events(commands), snapshots: [] };
    const by = (end: string[]): unknown =>
      replayHistory({ ...query, end }).map(({ origin }) => origin.by?.call_id ?? null);
    expect(by(["td {", "  padding: 0.3rem 1.50em;", "}"])).toEqual(["1", "1", "1"]);
    expect(by(["td {", "  padding: 0.3rem 1.5em;", "}"])).toEqual([null, null, null]);
  });

  it("attributes lines to a script that was written to a file and then run", () => {
    const script = 'p = "f"\ns = open(p).read()\nopen(p, "w").write(s.replace("two", "2"))';
    const [first, write] = ["printf 'one\\ntwo\\n' > f", `cat > /tmp/fix.py <<'E'\n${script}\nE`];
    expect(originsOf([first, `${write}\npython3 /tmp/fix.py`], "one\n2\n")).toEqual(["0: one", "1: 2"]);
    expect(originsOf([first, write, "python3 /tmp/fix.py"], "one\n2\n")).toEqual(["0: one", "2: 2"]);
    expect(originsOf([first, write, "python3 other.py"], "one\n2\n")[1]).toBe("changed_outside: 2");
    expect(originsOf([first, write, "python3 /tmp/fix.py"], "one\n3\n")[1]).toBe("changed_outside: 3");
  });

  it("attributes writes of a failed command only if nothing before them could fail", () => {
    const wrote = "cat > f <<'EOF'\nkept 1\nEOF\nmake test";
    expect(originsOf([{ failed: wrote }], "kept 1\n")).toEqual(["0: kept 1"]);
    for (const never of ["make test && echo kept 1 > f && echo done", "sed -i 's/a/kept/' f"])
      expect(originsOf([{ failed: never }], "kept 1\n")[0], never).not.toContain("0:");
  });
});
