import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import { displayWidth } from "../src/base/text/inert.ts";
import { nine } from "./nine.ts";
import { MONTH } from "./truth/month.ts";

const WIDTHS = [60, 80, 100, 120];

async function printed(argv: readonly string[], columns: number, more: Partial<Io> = {}): Promise<string> {
  let text = "";
  const io: Io = {
    out: (piece) => void (text += piece),
    err: () => undefined,
    env: { HOME: "/nowhere", NO_COLOR: "1", LANG: "C.UTF-8" },
    now: Date.UTC(2026, 10, 16),
    columns,
    outIsTerminal: true,
    errIsTerminal: false,
    ...more,
  };
  await main(argv, io);
  return text;
}

/** Lines that are too wide. A single word on its line is a path or an id to be copied, and may be wider. */
function tooWide(text: string, columns: number): string[] {
  return text.split("\n").filter((line) => displayWidth(line) > columns && /\S\s+\S/.test(line));
}

const LISTS: readonly (readonly string[])[] = [
  ...["sessions", "turns", "tools", "decisions", "context", "audit", "doctor"].map((command) => [
    command,
    "--limit",
    "0",
  ]),
  ["sessions", "--lost"],
  ["decisions", "stats"],
  ["context", "--all"],
  ["search", "the", "--limit", "40"],
  ["search", "a*", "--kind", "instructions"],
  ["recall", "which test failed and why"],
  ...["daily", "weekly", "monthly", "session", "turn", "model", "blocks", "limits"].map((group) => ["usage", group]),
  ["usage", "daily", "--breakdown", "--by-agent", "--instances"],
  ["usage", "session", "--breakdown", "--compact"],
  ["usage", "blocks", "--token-limit", "max"],
  ["report", "--since", "9999d"],
  ["report", "--since", "9999d", "--full"],
];

describe.each([
  [
    "a few sessions of every agent",
    (): string[] =>
      Object.entries(nine().roots).flatMap(([id, paths]) =>
        paths.flatMap((path: string) => ["--root", `${id}=${path}`]),
      ),
  ],
  [
    "a month of one developer",
    (): string[] => ["--root", `claude-code=${MONTH}claude`, "--root", `codex=${MONTH}codex`],
  ],
])("every list of %s", (_, rootsOf) => {
  let locationFlags: string[] = [];
  let targets: string[] = [];
  beforeAll(async () => {
    locationFlags = [...rootsOf(), "--home", mkdtempSync(join(tmpdir(), "daybook-width-")), "-z", "UTC"];
    const quiet = { outIsTerminal: false };
    const listed = JSON.parse(await printed(["sessions", "--json", ...locationFlags], 100, quiet)) as {
      sessions: { source: string; session_id: string }[];
    };
    const bySource = new Map(listed.sessions.map(({ source, session_id }) => [source, session_id]));
    targets = [...bySource.values()];
  });

  it.each(WIDTHS)("is at most %i columns wide, except for single words", async (columns) => {
    const commandLines = [
      ...LISTS,
      ...targets.flatMap((id) => [
        ["show", id],
        ["explain", `${id}:2`],
        ["audit", id],
      ]),
    ];
    for (const argv of commandLines) {
      const flags =
        argv[0] === "audit" || argv[0] === "doctor" ? argv.filter((word) => word !== "--limit" && word !== "0") : argv;
      const text = await printed([...flags, "--no-sync", ...locationFlags], columns);
      expect(text, argv.join(" ")).not.toBe("");
      expect(tooWide(text, columns), argv.join(" ")).toEqual([]);
    }
  });
});

it.each(WIDTHS)("the output of prepare, list, inspect and validate is at most %i columns wide", async (columns) => {
  const locationFlags = ["--home", mkdtempSync(join(tmpdir(), "daybook-width-"))];
  const roots = ["--root", `claude-code=${MONTH}claude`, "--root", `codex=${MONTH}codex`];
  const day = ["--date", "2026-09-15", "-z", "Europe/Berlin"];
  const files = readdirSync(MONTH, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .slice(0, 6)
    .map((name) => join(MONTH, name));
  for (const argv of [
    ["prepare", ...day, ...roots, ...locationFlags],
    ["list", ...locationFlags],
    ["list", "--verbose", ...locationFlags],
    ["inspect", ...day, ...locationFlags],
    ["validate", ...files],
    ["validate", join(MONTH, "TRUTH.json")],
  ]) {
    const text = await printed(argv, columns);
    expect(text, argv[0]).not.toBe("");
    expect(tooWide(text, columns), argv.join(" ")).toEqual([]);
  }
});
