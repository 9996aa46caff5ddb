import type { Thread } from "../threads.ts";
import type { WorkTurn } from "./evidence.ts";
import { saysOpen } from "./said-model.ts";
import { sentencesOf } from "./sentences.ts";

/** A sentence in which an agent says that something is open or is for the human to do. */
export interface Said {
  turn: WorkTurn;
  quote: string;
  /** How likely it is, as log-odds: only the order matters. */
  odds: number;
}

/** Sentences at the end of a reply, where what is left usually stands. */
const END = 2;

/**
 * The likeliest such sentence of the reply a thread ended with; null where there is no reply. What was learned from
 * labelled sentences weighs the words; their place and the records of the turn are weighed beside them.
 */
export function saidOpenIn({ turns }: Thread<WorkTurn>): Said | null {
  const turn = turns.findLast(({ view }) => view.outcome === "completed");
  if (!turn) return null;
  const best = likeliestIn(turn.final);
  return best && { turn, quote: best.quote, odds: best.odds + supportOf(turn) };
}

/** The sentence of a reply that most likely says something is open, by its words and its place. */
export function likeliestIn(reply: string): Pick<Said, "quote" | "odds"> | null {
  const sentences = sentencesOf(reply);
  let best: Pick<Said, "quote" | "odds"> | null = null;
  for (const [i, { text, under }] of sentences.entries()) {
    const words = Math.max(saysOpen(text), under === null ? -Infinity : saysOpen(`${under}: ${text}`));
    const place = sentences.length - i <= END ? 0.5 : i === 0 ? -0.3 : 0;
    const odds = words + place;
    if (odds > (best?.odds ?? -Infinity)) best = { quote: text, odds };
  }
  return best;
}

/** What the records of a turn say for or against what its reply says. */
function supportOf({ facts, prompt, edits, commits }: WorkTurn): number {
  const steps = facts.steps ?? [];
  let sum = 0;
  // A claim of work that was not done is likelier beside a call that did not succeed.
  if (steps.some(({ status }) => status === "denied" || status === "interrupted")) sum += 1;
  if (steps.at(-1)?.status === "failed") sum += 0.7;
  if (edits.length > 0 && commits.length === 0) sum += 0.2;
  // Who only asks gets an explanation.
  if (/[?？؟]\s*$/.test(prompt) && edits.length + commits.length === 0) sum -= 1;
  return sum;
}
