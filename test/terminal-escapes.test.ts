import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import { NIGHTLY } from "./nightly.ts";
import { CORPUS, sourceOfCorpus } from "./truth.ts";

/** A window title, a colour Daybook never uses, a bidirectional override, a zero-width space, a C1 code, a backspace. */
const HOSTILE = "\u001b]0;owned\u0007\u001b[45m\u202e\u200b\u009b31m\u0008";
/** Escapes that may reach a terminal: Daybook's own styles, and the redrawing of a progress bar. */
const OWN_ESCAPES = /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\u001b\[2K/g;
/** Characters that must not reach a terminal otherwise; tabs and line feeds may. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

/** Genuine sessions of each agent that writes JSON lines. */
const LABELS = ["claude-2.1.325-tui", "codex-0.166.0", "copilot-1.0.102", "gemini-0.61.0", "pi-0.87.1", "qwen-0.24.4"];

/** Those read without a book too; nightly, all are. */
const READ_DIRECTLY: readonly string[] = NIGHTLY ? LABELS : ["codex-0.166.0", "pi-0.87.1"];

/** A copy of the files with hostile text at the end of about a third of all strings, chosen by the seed. */
function poisoned(label: string, seed: number): string {
  const dir = mkdtempSync(join(tmpdir(), "daybook-escapes-"));
  cpSync(`${CORPUS}${label}`, dir, { recursive: true });
  let state = seed;
  const chance = (): boolean => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % 3 === 0;
  const poison = (value: unknown): unknown => {
    if (typeof value === "string") return chance() ? value + HOSTILE : value;
    if (Array.isArray(value)) return value.map(poison);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner)]));
  };
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".jsonl")) continue;
    const path = join(entry.parentPath, entry.name);
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(
      path,
      lines.map((line) => (line === "" ? line : JSON.stringify(poison(JSON.parse(line))))).join("\n"),
    );
  }
  return dir;
}

async function printed(argv: readonly string[], more: Partial<Io> = {}): Promise<string> {
  let text = "";
  const io: Io = {
    out: (piece) => void (text += piece),
    err: (piece) => void (text += piece),
    env: { HOME: "/nowhere" },
    now: Date.UTC(2026, 10, 16),
    columns: 100,
    outIsTerminal: true,
    errIsTerminal: true,
    ...more,
  };
  await main(argv, io);
  return text;
}

describe.each(LABELS)("hostile strings anywhere in the files of %s", (label) => {
  const ways: [seed: number, from: string][] = [
    [1, "the files"],
    [2, "a book"],
  ];
  it.each(READ_DIRECTLY.includes(label) ? ways : ways.slice(1))(
    "send no control characters to a terminal in any command (seed %i, read from %s)",
    async (seed, from) => {
      const root = poisoned(label, seed);
      const home = from === "a book" ? ["--home", mkdtempSync(join(tmpdir(), "daybook-escapes-"))] : [];
      const flags = ["--root", `${sourceOfCorpus(label)}=${root}`, ...home, "-z", "UTC"];
      const known = JSON.parse(
        await printed(["sessions", "--json", "-q", ...flags], { outIsTerminal: false, errIsTerminal: false }),
      ) as { sessions: { session_id: string }[] };
      const [id = ""] = known.sessions.map(({ session_id }) => session_id);
      expect(id).not.toBe("");
      const both = (...words: string[]): string[][] => [words, [...words, "--json"]];
      for (const argv of [
        ...["sessions", "turns", "tools", "context", "decisions", "audit", "doctor"].flatMap((command) =>
          both(command),
        ),
        ...both("decisions", "stats"),
        ...["session", "model", "turn"].flatMap((group) => both("usage", group)),
        ...["terminal", "markdown", "html", "json"].map((format) => ["report", "--since", "9999d", "--format", format]),
        ...["terminal", "markdown", "html", "json", "jsonl"].map((format) => ["show", id, "--format", format]),
        ...[1, 2, 3, 5, 8].flatMap((line) => both("explain", `${id}:${line}`)),
        ...both("search", "owned"),
        ...both("recall", "owned"),
        ["export"],
        ["export", "--format", "markdown"],
        ["export", "--format", "atif"],
        ["export", "--format", "otel", "--content"],
        ["export", "--format", "html", "--session", id],
        ...["sessions", "turns", "tools", "usage"].map((table) => ["export", "--format", "csv", "--table", table]),
      ]) {
        const text = (await printed([...argv, ...flags])).replaceAll(OWN_ESCAPES, "");
        const at = text.search(CONTROL);
        expect(at === -1 ? "" : JSON.stringify(text.slice(Math.max(0, at - 40), at + 40)), argv.join(" ")).toBe("");
      }
    },
  );
});

it("--json prints valid JSON on a terminal, with the same values as to a pipe", async () => {
  const root = poisoned("pi-0.87.1", 1);
  const argv = ["turns", "--json", "-q", "--root", `pi=${root}`, "-z", "UTC"];
  const shown = await printed(argv);
  const piped = await printed(argv, { outIsTerminal: false, errIsTerminal: false });
  expect(piped).toContain("\u202e");
  expect(JSON.parse(shown)).toEqual(JSON.parse(piped));
});
