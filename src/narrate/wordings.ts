import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import { appendLine } from "../base/io/append-line.ts";
import { parseJson } from "../base/io/json.ts";
import { textAt } from "../base/io/named-path.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { workRoot } from "../answers/workspace/places.ts";
import { AgentFailed } from "./agents/failed.ts";
import type { Agent } from "./agents/model.ts";

/** What a model adds to a question about the past, which often uses other words than the old texts. */
export interface OtherWordings {
  also: string[];
  words: string[];
}

export interface WordingsOptions {
  agent: Agent;
  home: string;
  redactor: Redactor;
  now: number;
  signal?: AbortSignal | undefined;
}

const MOST_WORDINGS = 3;
const MOST_WORDS = 8;
/** Characters of a wording; a longer one is no question. */
const LONGEST = 400;

/** The file that keeps them, per question. It only grows. */
export function wordingsFile(home: string): string {
  return join(home, "private", "wordings.jsonl");
}

/** Other wordings of a question, by the user's own agent: one small request, and the same question is never sent twice. */
export async function otherWordings(question: string, options: WordingsOptions): Promise<OtherWordings> {
  const { agent, home, redactor, now, signal } = options;
  const asked = redactor.text(question.replace(/\s+/g, " ").trim());
  const kept = keptWordings(home, asked);
  if (kept) return kept;
  // Its session lies in Daybook's own folder, and so is no work of the day.
  const cwd = join(workRoot(home), "wordings");
  mkdirSync(cwd, { recursive: true, mode: 0o700 });
  const { text } = await agent.ask({ prompt: promptFor(asked), cwd, signal });
  const found = wordingsIn(text, agent.name);
  appendLine(wordingsFile(home), {
    question: asked,
    ...found,
    agent: agent.name,
    model: agent.model,
    asked_at: new Date(now).toISOString(),
  });
  return found;
}

function promptFor(question: string): string {
  return `Somebody looks for an old session with a coding agent and asks:

${JSON.stringify(question)}

The session may use entirely different words. Reply with one JSON object and nothing else:
{"also": ["the question in technical terms", "the question in everyday words", "the likely answer, as a statement"], "words": ["up to eight terms the answer probably contains"]}
If the question is not in English, word at least one of "also" and half of "words" in English. Use no tool and read no file.`;
}

/** The last one counts. Lines that cannot be parsed are ignored. */
function keptWordings(home: string, asked: string): OtherWordings | null {
  const lines = (textAt(wordingsFile(home)) ?? "").split("\n");
  const found = lines.flatMap((line): OtherWordings[] => {
    try {
      const { question, ...kept } = parseJson(line) as Record<string, unknown>;
      return question === asked ? [checked(kept)] : [];
    } catch {
      return [];
    }
  });
  return found.at(-1) ?? null;
}

/** Agents like to talk around what they were asked for. */
function wordingsIn(reply: string, name: string): OtherWordings {
  const [from, to] = [reply.indexOf("{"), reply.lastIndexOf("}")];
  try {
    return checked(parseJson(reply.slice(from, to + 1)) as Record<string, unknown>);
  } catch (error) {
    throw new AgentFailed(name, `its reply holds no wordings: ${messageOf(error)}`);
  }
}

function checked({ also, words }: Record<string, unknown>): OtherWordings {
  const found = { also: textsIn(also).slice(0, MOST_WORDINGS), words: textsIn(words).slice(0, MOST_WORDS) };
  if (found.also.length + found.words.length === 0) throw new Error("neither also nor words");
  return found;
}

function textsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((one): one is string => typeof one === "string")
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "" && one.length <= LONGEST);
}
