import type { ResumeRefusal, ResumeWay, SourceRef } from "../contract.ts";

/** Sessions that were put away lie flat beside the dated folders. */
const ARCHIVED = /[\\/]archived_sessions[\\/]/;

export function resume({ path }: SourceRef, sessionId: string): ResumeWay | ResumeRefusal {
  if (ARCHIVED.test(path))
    return { refused: "archived", why: `it is archived; \`codex unarchive ${sessionId}\` takes it out` };
  return { words: ["codex", "resume", sessionId] };
}
