import type { SourceId, ToolFinishedBody } from "../../record/record.ts";
import {
  hashId,
  markerIn,
  oneLine,
  findRecommendation,
  stripRecommended,
  SUMMARY_LENGTH,
  withoutMarkers,
  type Option,
} from "./brief.ts";
import type { QuestionKeys } from "../../agents/contract.ts";
import { alwaysAsks, asksHuman, gstackImportName, showsPlan } from "../../agents/traits.ts";
import { skillOf } from "./model.ts";
import { fieldsOf, textOf } from "./values.ts";

/** One question of a call, prepared for matching with the result. */
export interface Question {
  kind: "question" | "plan" | "permission";
  question_id: string;
  title: string;
  options: Option[];
  recommended: string | null;
  /** The keys by which the result may name it. */
  keys: QuestionKeys;
  /** Labels as the agent wrote them, in the order of `options`. */
  labels: string[];
  /** Several options may be chosen. */
  multi: boolean;
  /** The answer is a secret: it may be reported that there is one, but not its text. */
  secret: boolean;
}

const HEADER_LINE = /^\s*D\d{1,4}[\w.-]{0,20}\s*[—–-]\s*(\S.*)$/m;
const LETTERED = /^\(?([A-Z])\)\s+(\S[^]*)$/;
const MOST_QUESTIONS = 20;
const MOST_OPTIONS = 26;

/** Tools that always ask the human, whatever their input. */
export function isAskingTool(name: string): boolean {
  return showsPlan(name) || asksHuman(name);
}

/** The questions a call puts to the human; null if it asks none. */
export function questionsOf(name: string, input: unknown, source: SourceId): Question[] | null {
  if (showsPlan(name)) return [planQuestion(textOf(fieldsOf(input)["plan"]) ?? "")];
  if (!asksHuman(name)) return null;
  const given = fieldsOf(input);
  const listed = Array.isArray(given["questions"]) ? given["questions"] : [given];
  const questions = listed.slice(0, MOST_QUESTIONS).flatMap((item) => questionOf(fieldsOf(item), source));
  return questions.length > 0 ? questions : null;
}

function questionOf(item: Record<string, unknown>, source: SourceId): Question[] {
  const text = textOf(item["question"]);
  if (text === null || text.trim() === "") return [];
  const offered = Array.isArray(item["options"]) ? item["options"] : item["choices"];
  const labels = (Array.isArray(offered) ? offered : [])
    .slice(0, MOST_OPTIONS)
    .flatMap((option) => textOf(option) ?? textOf(fieldsOf(option)["label"]) ?? []);
  const lettered = labels.map((label, i) => {
    const [, letter, rest] = LETTERED.exec(label) ?? [];
    return { letter: letter ?? String.fromCodePoint(65 + i), text: oneLine(rest ?? label, SUMMARY_LENGTH * 2) };
  });
  const { options, recommended } = findRecommendation(lettered, text.slice(0, 20_000).split("\n"));
  const asked = withoutMarkers(text);
  const title = oneLine(HEADER_LINE.exec(asked.slice(0, 20_000))?.[1] ?? asked, SUMMARY_LENGTH);
  // The live hook hashes the tool's input, gstack's importer the cleaned text.
  const hashed =
    gstackImportName(source) !== null
      ? hashId(
          skillOf(source),
          title,
          options.map((option) => option.label),
        )
      : hashId(skillOf(source), text, labels);
  return [
    {
      kind: "question",
      question_id: markerIn(text) ?? hashed,
      title,
      options,
      recommended,
      keys: { id: textOf(item["id"]), text, header: textOf(item["header"]) },
      labels,
      multi: item["multiSelect"] === true || item["multiple"] === true,
      secret: item["isSecret"] === true || item["is_secret"] === true,
    },
  ];
}

function fixedQuestion(kind: "plan" | "permission", id: string, title: string, labels: [string, string]): Question {
  const options = labels.map((label, i) => ({ letter: i === 0 ? "A" : "B", label, recommended: false }));
  const keys = { id: null, text: title, header: null };
  return { kind, question_id: id, title, options, recommended: null, keys, labels, multi: false, secret: false };
}

export const APPROVE = "Approve";
export const KEEP_PLANNING = "Keep planning";

/** The question whether to carry out a plan. */
export function planQuestion(plan: string): Question {
  const first = plan
    .slice(0, 20_000)
    .split("\n")
    .map((line) => line.replace(/^[#\s*_>-]+/, "").trim())
    .find((line) => line !== "");
  return fixedQuestion(
    "plan",
    "plan-approval",
    oneLine(`Approve the plan${first ? `: ${first}` : "?"}`, SUMMARY_LENGTH),
    [APPROVE, KEEP_PLANNING],
  );
}

/** The question of a permission prompt, derived from the call it was about. */
export function permissionQuestion(name: string, input: unknown): Question {
  const slug = name
    .toLowerCase()
    .slice(0, 200)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 50);
  const about = subject(input);
  const title = oneLine(`Allow ${name}${about === "" ? "?" : `: ${about}`}`, SUMMARY_LENGTH);
  return fixedQuestion("permission", `permission-${slug === "" ? "tool" : slug}`, title, ["Allow", "Deny"]);
}

function subject(input: unknown): string {
  const direct = textOf(input);
  if (direct !== null) return direct;
  const given = fieldsOf(input);
  for (const key of ["command", "cmd", "commands", "file_path", "path", "url", "pattern", "query"]) {
    const value = given[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.filter((part) => typeof part === "string").join(" ");
  }
  return "";
}

const BY_RULE =
  /polic|\brule\b|has been denied|haven['’]?t granted|requires? (?:user |interactive )?approval|requested permissions|auto (?:permission )?mode|classifier|safety check|hook|approval settings|don['’]?t ask mode|not interactive|non-interactive/i;
const BY_HUMAN = /\buser\b|\bdeclined\b/i;

/** Whether a human refused the call, rather than a rule, which asks nobody. Agents that always ask state no reason. */
export function deniedByHuman(body: ToolFinishedBody, source: SourceId): boolean {
  if (body.status !== "denied") return false;
  const text = (body.error ?? body.output ?? "").slice(0, 400);
  if (text === "") return alwaysAsks(source);
  const [head = "", ...words] = text.split(SAID);
  return (BY_HUMAN.test(head) || words.length > 0) && !BY_RULE.test(head);
}

/** True if a rule or a hook refused the call, so that no human was asked. */
export function refusedByRule({ status, error, output }: ToolFinishedBody): boolean {
  if (status !== "denied") return false;
  const [head = ""] = (error ?? output ?? "").slice(0, 400).split(SAID);
  return BY_RULE.test(head);
}

/** Introduces the human's own words in the text the agent receives about a refusal. */
const SAID = /the user said:|reason for the rejection:|with the following feedback:|\bComments on the plan:/i;
/** Looked for first: a search for plain words takes a tenth of the time, and most outputs are long and hold none. */
const SAID_WORDS = [
  "the user said:",
  "reason for the rejection:",
  "with the following feedback:",
  "comments on the plan:",
];

/** What the human typed when refusing. */
export function refusalText(body: ToolFinishedBody): string | null {
  const shown = body.error ?? body.output ?? "";
  const folded = shown.toLowerCase();
  const found = SAID_WORDS.some((words) => folded.includes(words)) ? SAID.exec(shown) : null;
  if (!found) return null;
  const said = shown.slice(found.index + found[0].length);
  const note = said.search(/\n\s*Note: The user['’]s/);
  const text = (note === -1 ? said : said.slice(0, note)).trim();
  return text === "" ? null : text;
}

/** The option an answer names, by its label as written or cleaned. */
export function optionFor(question: Question, answer: string): Option | null {
  const wanted = plain(answer);
  const at = question.labels.findIndex((label) => plain(label) === wanted);
  if (at !== -1) return question.options[at] ?? null;
  return question.options.find((option) => plain(option.label) === wanted) ?? null;
}

function plain(label: string): string {
  return stripRecommended(oneLine(label, SUMMARY_LENGTH * 2)).toLowerCase();
}
