import { statSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "../views/session-view.ts";
import { sessionIdOf } from "../book/reading/read-file.ts";
import { pagePaths } from "../book/pages/page-format.ts";
import { fileHash, type Forgotten } from "../book/pages/forgotten.ts";
import type { IndexStore } from "../index/tables/index-store.ts";
import type { SourceRef } from "../agents/contract.ts";
import { keyOfSession } from "../record/session-key.ts";

/** Which sessions to forget: those that meet all given criteria. */
export interface ForgetQuery {
  /** Ids, paths, or prefixes of ids. */
  sessions?: readonly string[] | undefined;
  /** A day: sessions that ended before it. */
  before?: string | undefined;
  project?: string | undefined;
}

export interface ForgetPlan {
  sessions: SessionView[];
  /** Size in the book. */
  bytes: number;
}

export interface ForgottenView {
  source: string;
  session_id: string;
  forgotten_at: string;
  /** Whether its agent still has a file of it. */
  in_files: boolean;
}

/** Includes the sub-agents of the chosen sessions: their transcripts are part of what was asked. */
export function forgetPlan(
  chosen: readonly SessionView[],
  all: readonly SessionView[],
  store: IndexStore | null,
): ForgetPlan {
  const wanted = new Set(chosen.map(keyOf));
  for (let before = -1; before !== wanted.size;) {
    before = wanted.size;
    for (const view of all)
      if (view.parent && view.kind !== "root" && wanted.has(keyOf(view.parent))) wanted.add(keyOf(view));
  }
  const pages =
    store?.files().filter(({ ref, session_id }) => wanted.has(keyOf({ source: ref.source, session_id }))) ?? [];
  const bytes = pages.reduce((sum, { page }) => sum + pageSize(join(store?.home ?? "", page)), 0);
  return { sessions: all.filter((view) => wanted.has(keyOf(view))), bytes };
}

function keyOf({ source, session_id }: { source: string; session_id: string }): string {
  return keyOfSession(source, session_id);
}

function pageSize(base: string): number {
  return Object.values(pagePaths(base)).reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

export function forgottenViews(forgotten: Forgotten, found: readonly SourceRef[]): ForgottenView[] {
  const there = new Set(found.flatMap((ref) => [fileHash(ref), keyOfSession(ref.source, sessionIdOf(ref))]));
  return forgotten.all.toReversed().map(({ source, session_id, forgotten_at, files }) => ({
    source,
    session_id,
    forgotten_at,
    in_files: [keyOfSession(source, session_id), ...files].some((name) => there.has(name)),
  }));
}
