import type { LooseEnd, LooseEndKind, ReportDecision, ReportTurn } from "./model.ts";
import { citeLine } from "./citations.ts";

/** A turn with what happened after it in its session: only what nobody came back to is loose. */
export interface Situation {
  project: string;
  turn: ReportTurn;
  /** No later trigger in the session, on this day or any other. */
  last: boolean;
  /** No later turn of the session wrote the list of steps again. */
  lastList: boolean;
  /** Questions of the turn that somebody found in its words. */
  asked: readonly ReportDecision[];
}

/** In the order of the turns. A turn the human took back is settled, whatever it left. */
export function looseEnds(situations: readonly Situation[]): LooseEnd[] {
  return situations.filter(({ turn }) => turn.taken_back === null).flatMap(endsOf);
}

function endsOf({ project, turn, last, lastList, asked }: Situation): LooseEnd[] {
  const { time, source, session_id, turn_ref } = turn;
  const found: LooseEnd[] = [];
  const add = (kind: LooseEndKind, text: string, line: number | null): void => {
    const citation = line === null ? turn.citation : citeLine(turn.session_ref, turn_ref, line);
    found.push({ kind, project, time, citation, source, session_id, turn_ref, text, asked: turn.trigger.text });
  };
  if (turn.outcome !== "completed") add(turn.outcome, turn.outcome_detail ?? "", null);
  const known = new Set(turn.questions.map(({ line }) => line));
  for (const problem of turn.tool_problems) {
    // A question that waits is told as one; what a human ran by hand was seen by that human.
    if (problem.status === "pending" && !known.has(problem.line) && problem.name !== "user_shell")
      add("pending_tool", `${problem.name} ${problem.about}`.trim(), problem.line);
  }
  for (const { question, answered, line } of turn.questions) {
    if (!answered) add("unanswered_question", question, line);
  }
  for (const { title, answered, asked_line } of asked) {
    if (!answered && asked_line !== null && !known.has(asked_line)) add("unanswered_question", title, asked_line);
  }
  const open = (lastList ? (turn.todos?.items ?? []) : []).filter((item) => item.status !== "completed");
  if (open.length > 0) add("open_todos", open.map((item) => item.text).join("; "), turn.todos?.line ?? null);
  // A question already listed is not listed again as the words it was asked in.
  const quiet = !found.some(({ kind }) => kind === "unanswered_question");
  const said = quiet && last && turn.outcome === "completed" && turn.last_words ? verdict(turn.last_words.text) : null;
  if (said && turn.last_words) add(said.kind, said.sentence, turn.last_words.line);
  return found;
}

const POLITE = /\b(?:any(?:thing)? (?:other |else|further )|further (?:help|assistance|questions)|any questions)\b/i;
const REQUEST =
  /\b(?:let me know|tell me|please (?!note\b|find\b|see\b)\w+|you(?:'ll|’ll| will)? (?:need|have) to|you (?:should|must)\b|would you (?:like|prefer)|do you want|shall I|should I|want me to|(?:a)?waiting (?:for|on) (?:you|your)|needs? your)\b/i;
const PROMISE =
  /\b(?:I(?:'|’)ll\b|I will\b|I(?:'|’)m going to|I am going to|I plan to|next steps?\b|next, I\b|still (?:need|needs|missing|fail|fails|failing|to do|open|pending)|remains? (?:to|open)|left to do|not yet (?:done|implemented|tested|covered|fixed)|follow[- ]ups?\b|TODOs?\b)/i;

/** How far back the end of a message is looked at: what was said before it was said in passing. */
const TAIL = 1200;
const SENTENCES = 3;

/** Whether the end of a message asks the human for something or promises more; a question beats a promise. */
export function verdict(text: string): { kind: "request" | "promise"; sentence: string } | null {
  const head = text.slice(0, -TAIL);
  // A block of code that began before the tail still hides what is in it.
  const fenced = text.length > TAIL && head.split("```").length % 2 === 0;
  const tail = `${fenced ? "```" : ""}${text.slice(-TAIL)}`.replace(/```[\s\S]*?(?:```|$)/g, " ").trimEnd();
  const sentences = tail
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(-SENTENCES)
    .toReversed();
  const asked = sentences.find(asks);
  if (asked !== undefined) return { kind: "request", sentence: asked };
  const promised = sentences.find((sentence) => PROMISE.test(sentence));
  return promised === undefined ? null : { kind: "promise", sentence: promised };
}

function asks(sentence: string): boolean {
  return !POLITE.test(sentence) && (/[?？]["'’”)\]*_`]*$/.test(sentence) || REQUEST.test(sentence));
}
