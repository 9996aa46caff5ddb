import type { ResumeRefusal, ResumeWay, SourceRef } from "../contract.ts";

/** Archived sessions are in a flat folder beside the dated ones. */
const ARCHIVED = /[\\/]archived_sessions[\\/]/;

export function resume({ path }: SourceRef, sessionId: string): ResumeWay | ResumeRefusal {
  if (ARCHIVED.test(path))
    return { refused: "archived", why: `it is archived; \`codex unarchive ${sessionId}\` takes it out` };
  return { words: ["codex", "resume", sessionId] };
}
