import { isMeant, lostView, type LostPrompt } from "../answers/lost-view.ts";
import { choosesMarks } from "../answers/marks.ts";
import { lostPrompts } from "../reading/lost.ts";
import { sessionIdOf } from "../reading/read-file.ts";
import type { ReadOptions } from "../reading/read-file.ts";
import { order } from "../text/order.ts";
import { within, type TimeRange } from "../time/range.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import type { SessionChoice } from "./questions.ts";

/** Prompts that only an agent's input history has, newest first. `known`: sessions of which there is a transcript. */
export function lost({ at }: Asking, query: SessionChoice, range: TimeRange, known: ReadonlySet<string>): LostPrompt[] {
  // What has no session nobody marked.
  if (choosesMarks(query)) return [];
  const typed = at.facts().flatMap((facts) => facts.prompts());
  const { forgotten } = at;
  const found = lostPrompts(typed, (source, id) => known.has(`${source}/${id}`) || forgotten.has(source, id));
  return found
    .filter(({ time }) => within(range, time))
    .map((prompt) => lostView(prompt, at.names.projectAt(prompt.cwd)))
    .filter((view) => isMeant(view, query))
    .toSorted((a, b) => order(b.time ?? "", a.time ?? "") || order(a.path, b.path) || b.line - a.line);
}

export async function transcripts({ at }: Asking, options: ReadOptions): Promise<ReadonlySet<string>> {
  return at.index?.queries.transcripts() ?? new Set((await at.readFiles(options)).sessions.map(sessionKey));
}

/** With those whose files were left for later: they are not lost. */
export function withFound({ at }: Asking, known: ReadonlySet<string>): ReadonlySet<string> {
  if (!at.left) return known;
  const found = at.opened().refs.map((ref) => `${ref.source}/${sessionIdOf(ref)}`);
  return new Set([...known, ...found]);
}
