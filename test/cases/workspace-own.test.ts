import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { A, at, codex, folder, M, R } from "./build.ts";
import { prepared } from "./workspace.ts";

describe("case 77: a session in which the tool prompt-diary wrote a report", () => {
  const MARKER = "<!-- prompt-diary-generated-language-norm-v1 -->";
  const GOOD = { schema_version: 3, report_date: "2026-05-11", prepared_at: "2026-05-12T07:00:00+00:00" };
  interface Scene {
    folder?: string;
    metadata?: unknown;
    marker?: string | null;
    header?: Record<string, unknown>;
    time?: string | null;
  }

  async function sessionsWith(scene: Scene): Promise<number> {
    const cwd = join(folder(), scene.folder ?? "2026-05-11");
    mkdirSync(cwd);
    const metadata = scene.metadata === undefined ? GOOD : scene.metadata;
    if (metadata !== null)
      writeFileSync(join(cwd, "metadata.json"), typeof metadata === "string" ? metadata : JSON.stringify(metadata));
    const marker = scene.marker === undefined ? MARKER : scene.marker;
    if (marker !== null) writeFileSync(join(cwd, "AGENTS.md"), `# Instructions\n\n${marker}\n`);
    const header = M("s", { originator: "codex_python_sdk", cwd, ...scene.header });
    const result = await prepared(
      codex(scene.time === undefined ? header : at(scene.time, header), R("write"), A("a")),
    );
    return result.sessions;
  }

  it.each([1, 2, 3])(
    "is left out with metadata of schema %i, the marker, and times in the right order",
    async (schema_version) => {
      expect(await sessionsWith({ metadata: { ...GOOD, schema_version } })).toBe(0);
    },
  );

  it.each<[string, Scene]>([
    ["no marker file", { marker: null }],
    ["another marker", { marker: "<!-- by hand -->" }],
    ["no metadata", { metadata: null }],
    ["malformed metadata", { metadata: "{" }],
    ["metadata without a date", { metadata: { ...GOOD, report_date: undefined } }],
    ["metadata without a time", { metadata: { ...GOOD, prepared_at: undefined } }],
    ["an invalid date", { folder: "2026-02-30", metadata: { ...GOOD, report_date: "2026-02-30" } }],
    ["a time without a zone", { metadata: { ...GOOD, prepared_at: "2026-05-12T07:00:00" } }],
    ["a later time", { metadata: { ...GOOD, prepared_at: "2026-05-12T08:00:01Z" } }],
    ["another folder", { folder: "2026-05-10" }],
    ["an unknown schema", { metadata: { ...GOOD, schema_version: 4 } }],
    ["a relative directory", { header: { cwd: "2026-05-11" } }],
    ["no directory", { header: { cwd: undefined } }],
    ["another originator", { header: { originator: "codex-tui" } }],
    ["a header without a time", { time: null }],
  ])("is kept with %s", async (_, scene) => {
    expect(await sessionsWith(scene)).toBe(1);
  });
});
