import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SOURCES } from "../src/agents/registry.ts";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** Files that may name an agent, and why. */
const EXCEPTIONS: readonly [place: RegExp, why: string][] = [
  [/^agents\//, "each source knows its own agent, and the registry all of them"],
  [/^stored-versions\.ts$/, "a version of what is stored for each source, one line each"],
  [/^base\/redact\/shapes\.ts$/, "beginnings of vendors' keys, one of which is an agent's name"],
  [/^views\/pricing\//, "names of models"],
  [/^views\/risk\/credentials\.ts$/, "names of files that hold keys"],
  [
    /^doors\/cli\/(?:config|open-daybook|commands\/(?:audit|decisions\/prefer|doctor|mcp))\.ts$/,
    "examples in help, and a key of the configuration file",
  ],
  [/^views\/ccusage\/agents\.ts$/, "the names ccusage uses for agents"],
  [
    /^answers\/report\/loose\/runnable\.ts$/,
    "names of programs that migrate databases, one of which is called like an agent",
  ],
  [/^export\/conventions\.ts$/, "names of vendors in the OpenTelemetry conventions"],
  [/^doors\/cli\/commands\/statusline\.ts$/, "a line for the status line of one agent"],
];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|\/testing\.ts$/.test(name));

/** Lines that contain one of the words, in all files except the allowed ones. */
function linesWith(words: readonly string[], allowed: readonly RegExp[], flags: string): string[] {
  const pattern = new RegExp(
    `(?<![a-z])(?:${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![a-z])`,
    flags,
  );
  return files
    .filter((name) => !allowed.some((place) => place.test(name)))
    .flatMap((name) =>
      readFileSync(join(SRC, name), "utf8")
        .split("\n")
        .flatMap((line, i) => (pattern.test(line) ? [`${name}:${i + 1} ${line.trim()}`] : [])),
    );
}

describe("src/ outside the sources", () => {
  it("names no agent, except in the listed files", () => {
    const names = SOURCES.filter(({ id }) => id !== "log").flatMap(({ id, name }) => [
      id,
      name,
      id.split("-")[0] ?? id,
    ]);
    // Two agents are called like a word of the language, and like the place where a reading goes on.
    const telling = names.filter((name) => !["continue", "cursor"].includes(name.toLowerCase()));
    const places = EXCEPTIONS.map(([place]) => place);
    expect(linesWith(telling, places, "i")).toEqual([]);
    // Every exception is still needed.
    for (const place of places.slice(1))
      expect(
        linesWith(
          telling,
          places.filter((one) => one !== place),
          "i",
        ),
      ).not.toEqual([]);
  });

  it("names no tool of an agent", () => {
    const tools = SOURCES.flatMap(({ tools: { ask = [], plan = [], todos = {} } = {} }) => [
      ask,
      plan,
      Object.keys(todos),
    ]);
    // Names that are ordinary words, like `ask`, would match unrelated code.
    // `TodoList` is also the name of a type of our own.
    const names = tools.flat().filter((name) => /[_A-Z]/.test(name) && name !== "TodoList");
    expect(names.length).toBeGreaterThan(10);
    expect(linesWith(names, [/^agents\//], "")).toEqual([]);
  });
});
