import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { oneLine, stripRecommended, SUMMARY_LENGTH } from "./brief.ts";
import { readsLikeInstruction } from "./instruction-like.ts";
import { gstackImportName, gstackImportNames } from "../../agents/traits.ts";
import { skillOf, type Asked } from "./model.ts";
import { fieldsOf, parseJsonText, type Fields } from "./values.ts";
import { addTo } from "../../base/maps.ts";

/** One line of gstack's `question-log.jsonl`. Fields it does not know are passed through. */
export interface QuestionLine extends Fields {
  skill: string;
  question_id: string;
  question_summary: string;
  user_choice: string;
  source: string;
  ts: string;
  followed_recommendation?: boolean;
}

export type LineResult = { line: QuestionLine } | { rejected: string };

export const UNKNOWN_CHOICE = "__unknown__";
const SOURCES = ["agent", "hook", "auq-other", "auto-decided"];
const CATEGORIES = ["approval", "clarification", "routing", "cherry-pick", "feedback-loop"];
const DOORS = ["one-way", "two-way"];
const KEBAB = /^[a-z0-9-]+$/;
/**
 * Applies the rules of gstack's writer: rejects what it would reject, cuts what it would cut. `now` is the time of a
 * line without one.
 */
export function acceptLine(payload: unknown, now: string): LineResult {
  const given = fieldsOf(payload);
  const problem = problemOf(given);
  if (problem !== null) return { rejected: problem };
  const choice = cut(given["user_choice"], 64);
  const recommended = given["recommended"] === undefined ? undefined : cut(given["recommended"], 64);
  const line: QuestionLine = {
    ...given,
    skill: String(given["skill"]),
    question_id: String(given["question_id"]),
    question_summary: cut(given["question_summary"], SUMMARY_LENGTH),
    user_choice: choice,
    source: typeof given["source"] === "string" ? given["source"] : "agent",
    ts: typeof given["ts"] === "string" && given["ts"] !== "" ? given["ts"] : now,
  };
  delete line.followed_recommendation;
  if (recommended !== undefined) line["recommended"] = recommended;
  if (recommended !== undefined && choice !== UNKNOWN_CHOICE)
    line.followed_recommendation = stripRecommended(choice) === stripRecommended(recommended);
  if (given["session_id"] !== undefined) line["session_id"] = cut(given["session_id"], 64);
  if (given["free_text"] !== undefined) line["free_text"] = cut(given["free_text"], 300);
  return { line };
}

function cut(value: unknown, most: number): string {
  return String(value)
    .slice(0, most)
    .replace(/[\r\n]+/g, " ");
}

function problemOf(given: Fields): string | null {
  if (Object.keys(given).length === 0) return "not a JSON object";
  const { skill, question_id: id, question_summary: summary, user_choice: choice, options_count: count } = given;
  if (typeof skill !== "string" || !KEBAB.test(skill)) return "skill must be kebab-case";
  if (typeof id !== "string" || !KEBAB.test(id) || id.length > 64) return "question_id must be kebab-case, at most 64";
  if (typeof summary !== "string" || summary === "") return "question_summary is missing";
  if (readsLikeInstruction(cut(summary, SUMMARY_LENGTH))) return "question_summary reads like an instruction";
  if (typeof choice !== "string" || choice === "") return "user_choice is missing";
  if (count !== undefined && !(Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 26))
    return "options_count must be 1 to 26";
  for (const [field, allowed] of [
    ["category", CATEGORIES],
    ["door_type", DOORS],
    [
      "source",
      [...SOURCES, ...gstackImportNames().flatMap(({ name }) => [`${name}-import-marker`, `${name}-import-pattern`])],
    ],
  ] as const) {
    const value = given[field];
    if (value !== undefined && !(typeof value === "string" && allowed.includes(value))) return `unknown ${field}`;
  }
  for (const field of ["recommended", "session_id", "free_text", "tool_use_id"]) {
    if (given[field] !== undefined && typeof given[field] !== "string") return `${field} must be text`;
  }
  const call = given["tool_use_id"];
  return typeof call === "string" && call.length > 128 ? "tool_use_id must be at most 128 characters" : null;
}

/** The line for a decision. Null for what the log does not record: open questions, plans, permission prompts. */
export function questionLine({ decision, kind, call_id, cwd, unknown_answer }: Asked, now: string): LineResult | null {
  if (kind !== "question" || !decision.answered) return null;
  const { source, free_text: text, session_id, time } = decision;
  const name = gstackImportName(source);
  const imported =
    name === null ? {} : { [`${name}_session_id`]: session_id, [`${name}_cwd`]: cwd, [`${name}_ts`]: time };
  return acceptLine(
    {
      skill: skillOf(source),
      question_id: decision.question_id,
      question_summary: decision.title,
      options_count: Math.max(1, decision.options.length),
      user_choice: unknown_answer ? UNKNOWN_CHOICE : (decision.choice ?? "Other"),
      ...(decision.recommended === null ? {} : { recommended: decision.recommended }),
      ...(text === null ? {} : { free_text: oneLine(text, 300) }),
      source: logSource(decision.tier, name, decision.question_id, text),
      session_id,
      ...(call_id === null || call_id.length > 128 ? {} : { tool_use_id: call_id }),
      ...(time === null ? {} : { ts: time }),
      ...imported,
      // Beyond gstack's fields: the id that prevents a second import from adding the line again, and the project.
      daybook_id: decision.id,
      project: decision.project,
    },
    now,
  );
}

/**
 * The `source` field of a line. For agents that gstack imports, it says how the question id was found; for others it is
 * what the live hook would write.
 */
export function logSource(tier: string, imported: string | null, id: string, text: string | null): string {
  if (imported !== null) return `${imported}-import-${id.startsWith("hook-") ? "pattern" : "marker"}`;
  if (tier !== "structured") return "agent";
  return text === null ? "hook" : "auq-other";
}

/** The project's folder name under gstack's `projects`; never a path that leaves that folder. */
export function bucketOf(project: string): string {
  const slug = project.replace(/[^A-Za-z0-9._-]/g, "").slice(0, 100);
  return /^\.*$/.test(slug) ? "unknown" : slug;
}

export interface AppendResult {
  added: number;
  known: number;
}

/** Appends the lines that the file does not contain yet, in one write. Existing lines are not changed. */
export function appendLines(path: string, lines: readonly QuestionLine[]): AppendResult {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const fresh = missingLines(before, lines);
  if (fresh.length > 0) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // An interrupted writer may have left half a line: ours must not be appended to it.
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    const file = openSync(path, "a", 0o600);
    try {
      writeSync(file, gap + fresh.map((line) => `${JSON.stringify(line)}\n`).join(""));
    } finally {
      closeSync(file);
    }
  }
  return { added: fresh.length, known: lines.length - fresh.length };
}

/** The lines that the log's text does not contain yet, without repetitions. */
export function missingLines(before: string, lines: readonly QuestionLine[]): QuestionLine[] {
  const known = new Set<string>();
  for (const text of before.split("\n")) {
    const line = fieldsOf(parseJsonText(text));
    const id = line["daybook_id"];
    // Lines of the live hook or of gstack's importer have no `daybook_id`: the call id, or session and time, identify
    // the question.
    if (typeof id === "string") known.add(id);
    else for (const key of foreignKeys(line)) known.add(key);
  }
  return lines.filter((line) => {
    const keys = [String(line["daybook_id"]), ...foreignKeys(line)];
    if (keys.some((key) => known.has(key))) return false;
    known.add(String(line["daybook_id"]));
    return true;
  });
}

function foreignKeys(line: Fields): string[] {
  const { tool_use_id: call, question_id: question, session_id: session, ts } = line;
  if (typeof question !== "string") return [];
  const keys: string[] = [];
  if (typeof call === "string") keys.push(`call ${call} ${question}`);
  if (typeof session === "string" && typeof ts === "string") keys.push(`moment ${session} ${ts} ${question}`);
  return keys;
}

export interface LogReport {
  added: number;
  /** Lines that were already in the file. */
  known: number;
  /** Answered questions that the log does not accept, with the reason. */
  rejected: { decision: Asked["decision"]; reason: string }[];
  files: string[];
}

/** Writes the answered questions to their logs; `fileOf` returns the log's path for a question. */
export function writeLog(asked: readonly Asked[], fileOf: (one: Asked) => string, now: string): LogReport {
  const report: LogReport = { added: 0, known: 0, rejected: [], files: [] };
  const files = new Map<string, QuestionLine[]>();
  for (const one of asked) {
    const accepted = questionLine(one, now);
    if (accepted === null) continue;
    if ("rejected" in accepted) {
      report.rejected.push({ decision: one.decision, reason: accepted.rejected });
      continue;
    }
    addTo(files, fileOf(one), accepted.line);
  }
  for (const [path, lines] of files) {
    const { added, known } = appendLines(path, lines);
    report.added += added;
    report.known += known;
    report.files.push(path);
  }
  return report;
}
