import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Source, SourceRef } from "../src/agents/contract.ts";
import { writeSampleStore } from "../src/agents/aider/testing.ts";
import { sampleTasks } from "../src/agents/cline-tasks/testing.ts";
import { editorStore, transcripts } from "../src/agents/cursor/testing.ts";
import { SOURCES } from "../src/agents/registry.ts";
import { sampleLogs, sampleStore } from "../src/agents/vscode-copilot/testing.ts";
import { folder } from "./cases/build.ts";
import { CORPUS, CORPUS_2, CORPUS_3, sourceOfCorpus } from "./truth.ts";

/** Every genuine store, with the agent that wrote it; then those written in published shapes. */
const GENUINE: readonly (readonly [label: string, root: string, owner: string])[] = [
  CORPUS,
  CORPUS_2,
  CORPUS_3,
].flatMap((series) =>
  readdirSync(series, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, join(series, name), sourceOfCorpus(name)] as const),
);
const STORES: typeof GENUINE = [
  ...GENUINE,
  ["aider, generated", writeSampleStore(), "aider"],
  ["cline-tasks, generated", sampleTasks(), "cline-tasks"],
  ["cursor, generated", editorStore(), "cursor"],
  ["transcripts, generated", transcripts(), "cursor"],
  ["vscode-copilot, generated", sampleStore(), "vscode-copilot"],
  ["vscode-copilot logs, generated", sampleLogs(), "vscode-copilot"],
];

function found(source: Source, root: string): SourceRef[] {
  return [...source.discover({ env: {}, home: "/nowhere", roots: [root], report: () => undefined })];
}

function readers(root: string): string[] {
  return SOURCES.filter((source) => found(source, root).length > 0).map(({ id }) => id);
}

describe.each(STORES)("the store %s", (_label, root, owner) => {
  it("is read by the agent that wrote it, and by no other, wherever its directory is named", () => {
    expect(readers(root)).toEqual([owner]);
  });

  it("has sessions that only their own reader recognises", () => {
    const refs = SOURCES.filter(({ id }) => id === owner).flatMap((source) => found(source, root));
    for (const ref of refs)
      expect([ref.path, SOURCES.filter((source) => source.recognises(ref)).map(({ id }) => id)]).toEqual([
        ref.path,
        [owner],
      ]);
  });
});

it("a home that holds the stores of all agents is split among them", () => {
  const home = folder();
  for (const [label, root] of GENUINE) cpSync(root, join(home, label), { recursive: true });
  const taken = SOURCES.flatMap((source) => found(source, home).map((ref) => ({ id: source.id, ref })));
  const wrong = taken.filter(
    ({ id, ref }) => !GENUINE.some(([label]) => ref.path.startsWith(join(home, label)) && sourceOfCorpus(label) === id),
  );
  expect(wrong.map(({ id, ref }) => `${id} ${ref.path}`)).toEqual([]);
  const places = taken.map(({ ref }) => `${ref.path}#${ref.key ?? ""}`);
  expect(new Set(places).size).toBe(places.length);
});

describe("a file of an agent that is not read", () => {
  // As Kimi Code writes them: `parentUuid` is the name of a field in Claude Code's records, too.
  const wire = [
    { type: "metadata", protocol_version: "1.5", created_at: 1794985813290 },
    { type: "turn.prompt", agentId: "main", input: [{ type: "text", text: "go" }], origin: { kind: "user" } },
    {
      type: "context.append_loop_event",
      agentId: "main",
      event: { type: "tool.result", parentUuid: "5840b7fc", toolCallId: "c", result: { output: "ok" } },
    },
  ];

  it("is taken for nobody's because it has one field in common", () => {
    const home = folder();
    const directory = join(home, "projects", "session_1", "agents", "main");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "wire.jsonl"), wire.map((record) => `${JSON.stringify(record)}\n`).join(""));
    expect(readers(home).filter((id) => id !== "kimi")).toEqual([]);
  });
});
