import { matchesLostPrompt, lostView, type LostPrompt } from "../views/lost-view.ts";
import { hasMarkChoice } from "../views/marks.ts";
import { lostPrompts } from "../book/reading/lost-prompts.ts";
import { sessionIdOf } from "../book/reading/read-file.ts";
import { order } from "../base/text/order.ts";
import { within, type TimeRange } from "../base/time/range.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { WorkChoice } from "./questions.ts";
import { keyOfSession } from "../record/session-key.ts";

/** Prompts that only an agent's input history has, newest first. `known`: sessions that have a transcript. */
export function findLostPrompts(
  { snapshot }: AnswerContext,
  query: WorkChoice,
  range: TimeRange,
  known: ReadonlySet<string>,
): LostPrompt[] {
  // A prompt without a session cannot have marks.
  if (hasMarkChoice(query)) return [];
  const typed = snapshot.facts().flatMap((facts) => facts.prompts());
  const { forgotten } = snapshot;
  const found = lostPrompts(typed, (source, id) => known.has(keyOfSession(source, id)) || forgotten.has(source, id));
  return found
    .filter(({ time }) => within(range, time))
    .map((prompt) => lostView(prompt, snapshot.names.projectAt(prompt.cwd)))
    .filter((view) => matchesLostPrompt(view, query))
    .toSorted((a, b) => order(b.time ?? "", a.time ?? "") || order(a.path, b.path) || b.line - a.line);
}

/** Adds sessions whose files are still to be read: their prompts are not lost. */
export function withUnreadSessions({ snapshot }: AnswerContext, known: ReadonlySet<string>): ReadonlySet<string> {
  if (!snapshot.unreadFiles) return known;
  const found = snapshot.opened().refs.map((ref) => keyOfSession(ref.source, sessionIdOf(ref)));
  return new Set([...known, ...found]);
}
