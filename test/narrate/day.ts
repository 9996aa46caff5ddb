import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import type { Agent, AgentRequest } from "../../src/narrate/agents/model.ts";
import { narrateDay, type NarrateResult, type NarrateOptions } from "../../src/narrate/narrate.ts";
import { Prompts } from "../../src/narrate/prompts.ts";
import { Redactor } from "../../src/base/redact/redact.ts";
import { prepareWorkspace } from "../../src/answers/workspace/prepare.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
const NOW = Date.parse("2026-05-20T12:00:00Z");

/** Prepares a workspace of a sample day in a new temporary directory. */
export async function sampleWorkspace(date = "2026-05-12"): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "daybook-narrate-"));
  const roots = { codex: [join(SAMPLES, "codex")], "claude-code": [join(SAMPLES, "claude-code")] };
  const daybook = new Daybook({ roots, timezone: "UTC", now: NOW });
  return (await prepareWorkspace(inside(daybook), { date, now: NOW, home })).workspace;
}

/** An agent that answers with a function of the prompt and lists the prompts in `asked`. */
export function scripted(
  answer: (prompt: string, request: AgentRequest) => string | Promise<string>,
): Agent & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: "scripted",
    model: null,
    callsTools: false,
    asked,
    async ask(request) {
      asked.push(request.prompt);
      return { text: await answer(request.prompt, request), tokens: null, cost_usd: null };
    },
  };
}

export async function narrated(
  workspace: string,
  agent: Agent,
  more: Partial<NarrateOptions> = {},
): Promise<NarrateResult> {
  return narrateDay({
    workspace,
    agent,
    prompts: new Prompts(null, null),
    redactor: new Redactor(),
    attempts: 2,
    concurrency: 2,
    limits: { usd: null, tokens: null },
    now: NOW,
    ...more,
  });
}

/** The files of a narrated workspace, by name; without the journal, whose order may vary, and the session copies. */
export function filesOf(workspace: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(workspace.length + 1);
    if (entry.isFile() && !/^narration\/(?:journal|lock)|\/sessions\//.test(name))
      found[name] = readFileSync(path, "utf8");
  }
  return found;
}
