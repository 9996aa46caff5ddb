import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openSources, readSessions } from "../src/book/reading/library.ts";
import { sourceOf } from "../src/book/reading/read-file.ts";
import { SOURCES } from "../src/agents/registry.ts";
import { folder } from "./cases/build.ts";
import { AIDER } from "./reasons/aider.ts";
import { CLAUDE_CODE } from "./reasons/claude-code.ts";
import { CLINE } from "./reasons/cline.ts";
import { CLINE_TASKS } from "./reasons/cline-tasks.ts";
import { CODEX } from "./reasons/codex.ts";
import { CONTINUE } from "./reasons/continue.ts";
import { COPILOT } from "./reasons/copilot.ts";
import { DROID } from "./reasons/droid.ts";
import { CRUSH } from "./reasons/crush.ts";
import { CURSOR } from "./reasons/cursor.ts";
import { GEMINI } from "./reasons/gemini.ts";
import { GOOSE } from "./reasons/goose.ts";
import { GROK } from "./reasons/grok.ts";
import { KIMI } from "./reasons/kimi.ts";
import { GPTME } from "./reasons/gptme.ts";
import type { Listed } from "./reasons/listed.ts";
import { LOG } from "./reasons/log.ts";
import { OPENCODE } from "./reasons/opencode.ts";
import { OPENHANDS } from "./reasons/openhands.ts";
import { PI } from "./reasons/pi.ts";
import { QWEN } from "./reasons/qwen.ts";
import { VIBE } from "./reasons/vibe.ts";
import { VSCODE_COPILOT } from "./reasons/vscode-copilot.ts";
import { writeSmall } from "./reasons/small-files.ts";

const LISTED: Readonly<Record<string, Listed>> = {
  aider: AIDER,
  "claude-code": CLAUDE_CODE,
  cline: CLINE,
  "cline-tasks": CLINE_TASKS,
  codex: CODEX,
  continue: CONTINUE,
  copilot: COPILOT,
  droid: DROID,
  crush: CRUSH,
  cursor: CURSOR,
  gemini: GEMINI,
  goose: GOOSE,
  grok: GROK,
  kimi: KIMI,
  gptme: GPTME,
  log: LOG,
  opencode: OPENCODE,
  openhands: OPENHANDS,
  pi: PI,
  qwen: QWEN,
  vibe: VIBE,
  "vscode-copilot": VSCODE_COPILOT,
};

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Members of a family, whose rules are those of their base. */
const MEMBERS: Readonly<Record<string, string>> = { kilo: "opencode" };

it("every source has its rules tested here", () => {
  expect([...Object.keys(LISTED), ...Object.keys(MEMBERS)].toSorted()).toEqual(SOURCES.map(({ id }) => id));
  expect(Object.values(MEMBERS).filter((base) => !(base in LISTED))).toEqual([]);
});

/**
 * Every rule that `explain` prints must be in the source's list of constants, and explained in its FORMAT.md. A rule
 * that no fixture reaches is either unnecessary or untested.
 */
describe.each(Object.entries(LISTED))("the rules of %s", (id, listed) => {
  const { reasons, unreached } = listed;

  it("are sorted and without duplicates", () => {
    expect(reasons).toEqual([...new Set(reasons)].toSorted());
  });

  it("are those listed in FORMAT.md", () => {
    const text = readFileSync(join(ROOT, listed.folder, "FORMAT.md"), "utf8");
    const [, section = ""] = /^## Rules\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text) ?? [];
    const named = [...section.matchAll(/`([^`\s]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => name.startsWith(`${listed.prefix}.`)).toSorted()).toEqual(reasons);
  });

  it("are those that the fixtures produce, plus the ones listed as unreached", async () => {
    const small = folder();
    try {
      writeSmall(small, listed.files);
      listed.make?.(small);
      const found = new Set<string>();
      for (const root of [small, ...fixturesOf(listed.fixtures)]) {
        for (const reason of await reasonsIn(id, root)) found.add(reason);
      }
      expect(Object.keys(unreached).filter((reason) => found.has(reason))).toEqual([]);
      expect([...found, ...Object.keys(unreached)].toSorted()).toEqual(reasons);
    } finally {
      rmSync(small, { recursive: true, force: true });
    }
  });
});

function fixturesOf(names: RegExp): string[] {
  const fixtures = join(ROOT, "test/fixtures");
  return [".", "corpus", "corpus-2", "corpus-3", "month"].flatMap((series) =>
    readdirSync(join(fixtures, series))
      .filter((name) => names.test(name))
      .map((name) => join(fixtures, series, name)),
  );
}

/** Reasons from reading everything and from reading usage only, where most lines are not parsed. */
async function reasonsIn(id: string, root: string): Promise<Set<string>> {
  const opened = openSources({ roots: { [id]: [root] }, env: {}, home: "/nowhere" });
  const { sessions } = await readSessions(opened, { detail: "full", ledger: false, toolDetail: false });
  const found = sessions.flatMap((session) =>
    Object.keys(session.records.reasons).map((key) => key.slice(key.indexOf(" · ") + 3)),
  );
  for (const ref of opened.refs) {
    for (const { reason } of sourceOf(ref).read(ref, null, { detail: "usage" })) found.push(reason);
  }
  return new Set(found);
}
