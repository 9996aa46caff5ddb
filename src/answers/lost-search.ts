import { hasMarkChoice } from "../views/marks.ts";
import { UNKNOWN_PROJECT } from "../views/projects/label.ts";
import type { LostPrompt } from "../views/lost-view.ts";
import type { SearchFound, SearchQuery, SearchResult } from "../index/search/search.ts";
import { snippetOf } from "../index/search/snippet.ts";
import { fold, termPatterns } from "../index/search/terms.ts";
import type { AnswerContext } from "./answer-context.ts";
import { findLostPrompts, withUnreadSessions } from "./lost.ts";
import type { TextQuery } from "./search.ts";

/** The part of a full list that lost prompts may take from matches in sessions. */
const SHARE = 0.25;

/** Adds the prompts that only an input history has: after the matches in sessions, but never crowded out by them. */
export function withLostPrompts(
  ctx: AnswerContext,
  found: SearchFound,
  wanted: Pick<SearchQuery, "text" | "kinds" | "range" | "limit" | "redactor">,
  query: TextQuery,
): SearchFound {
  const { kinds, limit } = wanted;
  const isMeant = kinds.length === 0 || kinds.includes("prompt");
  // A team store holds no input histories, and what has no session has no marks.
  if (!isMeant || ctx.options.remote || hasMarkChoice(query)) return found;
  const lost = matchingPrompts(ctx, wanted, query);
  if (lost.length === 0) return found;
  const room = Math.max(limit - found.results.length, Math.ceil(limit * SHARE));
  const shown = lost.slice(0, room).map((prompt) => toResult(prompt, wanted));
  return {
    ...found,
    results: [...found.results.slice(0, Math.max(0, limit - shown.length)), ...shown].slice(0, limit),
    total: found.total === null ? null : found.total + lost.length,
  };
}

/** Newest first. There are few, so they are scanned instead of indexed. */
function matchingPrompts(
  ctx: AnswerContext,
  { text, range }: Pick<SearchQuery, "text" | "range">,
  query: TextQuery,
): LostPrompt[] {
  const patterns = termPatterns(text);
  const matches = (prompt: { text: string }): boolean => {
    const folded = fold(prompt.text);
    return patterns.every((pattern) => folded.search(pattern) !== -1);
  };
  // Mostly none does; only then it matters which sessions have a transcript.
  if (!ctx.snapshot.facts().some((facts) => facts.prompts().some(matches))) return [];
  const known = withUnreadSessions(ctx, ctx.index.queries.transcripts());
  return findLostPrompts(ctx, query, range, known).filter(matches);
}

function toResult(
  { source, session_id, path, project, line, time, text }: LostPrompt,
  wanted: Pick<SearchQuery, "text" | "redactor">,
): SearchResult {
  return {
    source,
    session_id,
    session_path: path,
    project: project ?? UNKNOWN_PROJECT,
    turn_ref: null,
    line,
    kind: "prompt",
    time,
    ...snippetOf(text, wanted.text, (part) => wanted.redactor?.text(part) ?? part),
    score: 0,
    marks: null,
    lost: true,
  };
}
