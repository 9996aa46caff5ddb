import { inside, type Daybook, type SearchResult } from "../../answers/daybook.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import type { SessionName } from "./answers.ts";
import { sessionKey } from "../../record/session-key.ts";

/** The names of the sessions these hits belong to, each once. */
export async function sessionNames(
  daybook: Daybook,
  hits: readonly Pick<SearchResult, "source" | "session_id" | "lost">[],
): Promise<SessionName[]> {
  // A prompt without a transcript has no session to name.
  const found = hits.filter(({ lost }) => !lost);
  const names = new Set(found.map(sessionKey));
  const views = (await Promise.all([...names].map((session) => daybook.sessions({ session })))).flat();
  const ends = await inside(daybook).ends(views);
  return views.map(({ source, session_id, title }, i) => {
    const asked = ends[i]?.first?.trigger.text ?? null;
    return { source, session_id, title, first_request: asked === null ? null : askedLine(asked) };
  });
}
