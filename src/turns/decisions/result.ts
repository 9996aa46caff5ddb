import { ownField, fieldsOf, parseJsonText, textOf, type Fields } from "./values.ts";
import type { GivenAnswer } from "../../agents/contract.ts";
import { answersInText, isAddedOption, noteIn, saysUnanswered, saysUnasked } from "../../agents/traits.ts";
import { optionFor, type Question } from "./structured.ts";

/**
 * The answer to one question in the result of a question tool. `unknown`: it was answered, in an unknown form.
 * `unasked`: the tool says that it could not ask.
 */
export type QuestionAnswer = { choice: string | null; free_text: string | null } | "unanswered" | "unknown" | "unasked";

const UNASKED = /\bnon-interactive mode\b|^\s*error\b/i;
const NOT_ANSWERED =
  /^\s*(?:(?:the )?user (?:dismissed|declined|cancell?ed|did not answer|wants to clarify|skipped)|\[?(?:request )?interrupted|aborted)|without answering|no answer provided/i;

/** The answers in a call's result, one per question. */
export function answersIn(output: string, questions: readonly Question[]): QuestionAnswer[] {
  const shape = parseJsonText(output);
  if (shape === undefined) return fromText(output, questions);
  return questions.map((question, i) => {
    const found = fromJson(shape, question, i, questions.length);
    return typeof found === "string" ? found : resolve(question, found);
  });
}

function fromJson(shape: unknown, question: Question, at: number, of: number): GivenAnswer | "unanswered" | "unknown" {
  const root = fieldsOf(shape);
  const answers = ownField(root, "answers");
  const notes = textOf(
    ownField(fieldsOf(answerFor(fieldsOf(ownField(root, "annotations")), question, at, of)), "notes"),
  );
  let found: unknown;
  if (Array.isArray(answers)) found = answers[at];
  else if (typeof answers === "object" && answers !== null) {
    found = answerFor(answers as Fields, question, at, of);
    if (found === undefined) return "unanswered";
  } else {
    const listed = ownField(root, "questions");
    if (!Array.isArray(listed)) return "unknown";
    const item = fieldsOf(listed[at]);
    found = ownField(item, "user_answer") ?? ownField(item, "answer") ?? ownField(item, "choice");
  }
  const given = givenOf(found);
  if (given === null) return found === undefined ? "unanswered" : "unknown";
  return { values: given.values, note: given.note ?? notes };
}

/**
 * Finds an answer by the question's id, by its text (ignoring case and spaces), or by position; a single answer belongs
 * to a single question.
 */
function answerFor(answers: Fields, question: Question, at: number, of: number): unknown {
  const { id, text } = question.keys;
  for (const key of [id, text, String(at)]) {
    const found = key === null ? undefined : ownField(answers, key);
    if (found !== undefined) return found;
  }
  const entries = Object.entries(answers);
  const wanted = squeezed(text);
  const drifted = entries.find(([key]) => squeezed(key) === wanted);
  return drifted ? drifted[1] : of === 1 && entries.length === 1 ? entries[0]?.[1] : undefined;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function givenOf(value: unknown): GivenAnswer | null {
  const text = textOf(value);
  if (text !== null) return { values: [text], note: null };
  if (Array.isArray(value)) {
    const texts = value.filter((item) => typeof item === "string");
    if (texts.length < value.length) return value.length === 1 ? givenOf(value[0]) : null;
    const notes = texts.flatMap((item) => noteIn(item) ?? []);
    const values = texts.filter((item) => noteIn(item) === null);
    return { values, note: notes.length > 0 ? notes.join(" ") : null };
  }
  const fields = fieldsOf(value);
  const inner = ownField(fields, "answers");
  if (Array.isArray(inner)) return givenOf(inner);
  const note = textOf(ownField(fields, "free_text")) ?? textOf(ownField(fields, "other_text"));
  for (const key of ["option_label", "label", "choice", "answer", "user_answer"]) {
    const found = textOf(ownField(fields, key));
    if (found !== null) return { values: [found], note };
  }
  return note === null ? null : { values: [], note };
}

/** Values that match a label become the choice; anything else is the human's own text. */
function resolve(question: Question, { values, note }: GivenAnswer): QuestionAnswer {
  const chosen: string[] = [];
  const typed: string[] = [];
  for (const value of values.filter((item) => item.trim() !== "")) {
    const whole = optionFor(question, value)?.label ?? (isAddedOption(value) ? value : null);
    if (whole !== null) chosen.push(whole);
    else if (question.multi) splitJoined(question, value, chosen, typed);
    else typed.push(value.trim());
  }
  if (note !== null && note.trim() !== "") typed.push(note.trim());
  if (chosen.length === 0 && typed.length === 0) return "unanswered";
  // A typed "Other" next to the actual text is dropped.
  const text = typed.length > 1 ? typed.filter((item) => item.toLowerCase() !== "other") : typed;
  return {
    choice: chosen.length > 0 ? chosen.join(", ") : null,
    free_text: text.length === 0 || question.secret ? null : text.join(", "),
  };
}

/** Several choices are joined by ", ", and labels may contain commas themselves: the longest matching label wins. */
function splitJoined(question: Question, value: string, chosen: string[], typed: string[]): void {
  const parts = value.slice(0, 20_000).split(", ");
  let at = 0;
  const rest: string[] = [];
  while (at < parts.length) {
    let found: string | null = null;
    let taken = 1;
    for (let n = Math.min(parts.length - at, 6); n > 0 && found === null; n--) {
      found = optionFor(question, parts.slice(at, at + n).join(", "))?.label ?? null;
      taken = n;
    }
    if (found === null) rest.push(parts[at] ?? "");
    else chosen.push(found);
    at += found === null ? 1 : taken;
  }
  const text = rest.join(", ").trim();
  if (text !== "") typed.push(text);
}

function fromText(output: string, questions: readonly Question[]): QuestionAnswer[] {
  const pairs = answersInText(
    output,
    questions.map(({ keys }) => keys),
  );
  if (pairs) return pairs.map((given, i) => settle(questions[i], given));
  const head = output.slice(0, 400);
  if (UNASKED.test(head) || saysUnasked(head)) return questions.map(() => "unasked");
  if (output.trim() === "" || NOT_ANSWERED.test(head) || saysUnanswered(head)) return questions.map(() => "unanswered");
  const [only] = questions;
  const said = /^\s*User (?:selected|responded|answered):\s*([^]+)$/i.exec(output.slice(0, 20_000))?.[1];
  const value = (said ?? output.slice(0, 500)).trim();
  // In a result of unknown form, only an option's label is recognised; nothing else is taken for the human's words.
  if (questions.length === 1 && only && (said !== undefined || optionFor(only, value)))
    return [resolve(only, { values: [value], note: null })];
  return questions.map(() => "unknown");
}

function settle(question: Question | undefined, given: GivenAnswer | null): QuestionAnswer {
  if (!question || !given) return "unanswered";
  if (given.values.length === 1 && given.values[0] === "Unanswered") return "unanswered";
  return resolve(question, given);
}
