import type { UserBody } from "../../format/record.ts";

/** A prompt that a client generated from a template: the command that was called and the arguments typed after it. */
export interface Expansion {
  /** `/name` if the template reveals it, else the template's title line. */
  called: string;
  typed: string;
}

/** The command line as the human would have typed it. */
export function expansionText({ called, typed }: Expansion): string {
  if (typed === "") return called;
  return called.startsWith("/") ? `${called} ${typed}` : `${called}\n${typed}`;
}

/** The expanded template as the model received it. No human wrote it, but it stays searchable with the turn. */
export function expandedBody(text: string, full: boolean): UserBody {
  return { type: "user", author: "source", text: full ? text : "" };
}

/** Shorter texts count as typed by a human, even if they look like a template. */
const SHORTEST = 200;

/**
 * What prompts of the spec-kit family have in common: a fence around the typed arguments, and a sentence that refers
 * the model to it. Both must be present, preceded only by front matter or the template's title, because people paste
 * and quote such texts.
 */
const FENCE =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?\s*(?:# [^\n]+\n[\s\S]{0,2000}?)?## User Input\s*\n+```(?:text)?\n([\s\S]*?)\n?```\s*\n+(?:You \*\*MUST\*\* c|C)onsider the user input before proceeding/;
/**
 * Older templates without a fence: arguments end with the paragraph, or where the known text of the template continues.
 */
const PLAIN =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?\s*The user input to you can be provided directly by the agent or as a command argument[^\n]*\n(?:proceeding [^\n]*\n)?\s*User input:[ \t]*\n?\n?([\s\S]*?)\n\n(?=(?:Given|Goal:|The text the user|You are|1\. |#|-{3})|\S[\s\S]{150})/;

/** The expansion recognised from the text alone; null for anything a human may have written. */
export function expansionOf(text: string): Expansion | null {
  if (text.length < SHORTEST) return null;
  return specKit(text) ?? openSpec(text) ?? persona(text);
}

function specKit(text: string): Expansion | null {
  const match = text.includes("## User Input") ? FENCE.exec(text) : PLAIN.exec(text);
  if (!match) return null;
  return { called: nameIn(text) ?? titleIn(text, match[0].length), typed: filled(match[1]) };
}

/** The typed arguments; empty if the client left the placeholder in (no arguments, or an old client). */
function filled(place: string | undefined): string {
  const typed = (place ?? "").trim();
  return typed === "$ARGUMENTS" ? "" : typed;
}

/** OpenSpec inserts its own block; the typed arguments may come before or after it. */
const OPEN_SPEC =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?([\s\S]{0,20000}?)<!-- OPENSPEC:START -->\s*\n\*\*Guardrails\*\*[\s\S]*<!-- OPENSPEC:END -->([\s\S]*)$/;
const REQUEST = /<UserRequest>([\s\S]*?)<\/UserRequest>/;
const OPEN_SPEC_STEPS: readonly [string, string][] = [
  ["verb-led `change-id`", "proposal"],
  ["Track these steps as TODOs", "apply"],
  ["openspec archive", "archive"],
];

function openSpec(text: string): Expansion | null {
  const match = text.includes("<!-- OPENSPEC:START -->") ? OPEN_SPEC.exec(text) : null;
  const name = match && OPEN_SPEC_STEPS.find(([step]) => text.includes(step))?.[1];
  if (!match || name === undefined) return null;
  const before = REQUEST.exec(match[1] ?? "")?.[1] ?? match[1];
  return {
    called: `/openspec-${name}`,
    typed: [before, match[2]]
      .map(filled)
      .filter((part) => part !== "")
      .join("\n"),
  };
}

/** Commands of the BMAD family name themselves. */
const PERSONA =
  /^# (\/[\w/.-]+) (?:Command|Task)\s*\n+When this command is used, (?:adopt the following agent persona|execute the following task)/;

function persona(text: string): Expansion | null {
  const called = PERSONA.exec(text)?.[1];
  return called === undefined ? null : { called, typed: "" };
}

const NAMED = /typed after `(\/[\w.:-]+)`/;
/** A phrase that occurs in only one of the spec-kit templates, with the name of that template. */
const SPEC_KIT: readonly [RegExp, string][] = [
  [/create-new-feature(?:\.sh|\.ps1)/, "specify"],
  [/setup-plan(?:\.sh|\.ps1)/, "plan"],
  [/updating the project constitution/, "constitution"],
  [/reduce ambiguity or missing decision points/, "clarify"],
  [/Identify inconsistencies, duplications, ambiguities/, "analyze"],
  [/Unit Tests for (?:English|Requirements)/i, "checklist"],
  [/--require-tasks --include-tasks|-RequireTasks -IncludeTasks/, "implement"],
  [/setup-tasks(?:\.sh|\.ps1)|tasks-template\.md/, "tasks"],
];

function nameIn(text: string): string | null {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined) return named;
  if (!text.includes("check-prerequisites") && !text.includes(".specify/")) return null;
  const known = SPEC_KIT.find(([sign]) => sign.test(text))?.[1];
  return known === undefined ? null : `${text.includes("/speckit.") ? "/speckit." : "/"}${known}`;
}

const TITLE_LENGTH = 120;
/** Headings that every template has. */
const COMMON = /^(?:user input|outline|goal|overview|instructions|execution|pre-?execution|steps?\b)/i;

/**
 * The first specific heading, else the first sentence after `from`, where the beginning shared by all templates ends.
 */
function titleIn(text: string, from: number): string {
  const heading = [...text.matchAll(/^#{1,3} +(.+)$/gm)].map((match) => match[1]?.trim() ?? "");
  const titleLine = heading.find((line) => line !== "" && !COMMON.test(line));
  if (titleLine !== undefined && text.trimStart().startsWith("# ")) return cut(titleLine);
  const lines = text.slice(from).split("\n").slice(1);
  const sentence = lines.map((line) => line.replace(/^(?:Goal: |\*\*Goal\*\*: )/, "").trim()).find(isSentence);
  return cut(sentence ?? titleLine ?? "custom prompt");
}

function isSentence(line: string): boolean {
  return line !== "" && !/^(?:#|```|-{3}|<)/.test(line);
}

function cut(title: string): string {
  const first = /^.*?[.!?](?=\s|$)/.exec(title)?.[0] ?? title;
  return first.length <= TITLE_LENGTH ? first : `${first.slice(0, TITLE_LENGTH - 1).trimEnd()}…`;
}
