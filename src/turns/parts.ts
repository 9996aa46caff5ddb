import { identityAt, type Diagnostic } from "../agents/contract.ts";
import type { FileDraft } from "./model.ts";
import { sessionKey } from "../record/session-key.ts";
import { groupBy } from "../base/maps.ts";

/** What assembling may request from the files themselves. Rare: only files that repeat one another are read again. */
export interface DraftLoader {
  /** Identity and time of every record of a file. */
  identities(draft: FileDraft): RecordIdentity[];
  /** Reads a file again, knowing which of its leading records were copied from elsewhere. */
  readInherited(draft: FileDraft, inherited: ReadonlySet<string>): FileDraft;
  sameBytes(a: FileDraft, b: FileDraft): boolean;
  /** True when the source's record identities are unique ids, so that an equal one proves a copy. */
  hasUniqueIdentities(source: string): boolean;
}

export interface RecordIdentity {
  identity: string | null;
  time: number | null;
}

export interface PartGroup {
  source: string;
  session_id: string;
  parts: FileDraft[];
  diagnostics: Diagnostic[];
  /** The whole session is a copy of another session that is present. */
  copied?: true;
}

/**
 * Puts the files of one session together. A session has several files if the agent starts a new segment after a revert,
 * or if a copy of a file exists (archived, restored, synced from another machine). Files that nothing else puts in
 * order keep the order given.
 */
export function groupParts(drafts: readonly FileDraft[], loader: DraftLoader): PartGroup[] {
  return [...groupBy(drafts, sessionKey).values()].map((group) => joinParts(group, loader));
}

function joinParts(group: FileDraft[], loader: DraftLoader): PartGroup {
  const [first] = group;
  const out: PartGroup = {
    source: first?.source ?? "",
    session_id: first?.session_id ?? "",
    parts: [],
    diagnostics: [],
  };
  const ordered = group.toSorted(byAge);
  for (const draft of ordered) {
    const copyOf = out.parts.find((part) => loader.sameBytes(part, draft));
    if (copyOf) {
      out.diagnostics.push(duplicateFile(draft, copyOf));
      continue;
    }
    out.parts.push(overlaps(out.parts, draft) ? withoutRepeats(out.parts, draft, loader) : draft);
  }
  return out;
}

/**
 * True if the draft is a copy: a later segment states where it takes over, while a copy states nothing and shares
 * prompts with the files before it.
 */
function overlaps(parts: readonly FileDraft[], draft: FileDraft): boolean {
  const known = new Set(parts.flatMap((part) => part.turns.map((turn) => turn.identity)));
  return draft.turns.some((turn) => turn.identity !== null && known.has(turn.identity));
}

function withoutRepeats(parts: readonly FileDraft[], draft: FileDraft, loader: DraftLoader): FileDraft {
  const known = new Set<string>();
  for (const part of parts) addIdentities(known, loader.identities(part));
  return loader.readInherited(draft, known);
}

/** Adds the identities that later files are compared with. */
export function addIdentities(known: Set<string>, records: readonly RecordIdentity[]): void {
  for (const { identity, time } of records) {
    if (identity !== null) known.add(identity).add(identityAt(identity, time));
  }
}

function byAge(a: FileDraft, b: FileDraft): number {
  return takesOverAt(a) - takesOverAt(b) || (a.first_time ?? 0) - (b.first_time ?? 0) || b.ref.size - a.ref.size;
}

/**
 * Segments continue the positions of the file they build on. Copies start where the original starts; the longer one
 * comes first.
 */
function takesOverAt(draft: FileDraft): number {
  return draft.rewinds.find((rewind) => rewind.line === 1)?.from_position ?? 0;
}

function duplicateFile(dropped: FileDraft, other: FileDraft): Diagnostic {
  return {
    code: "file_duplicate",
    source: dropped.source,
    path: dropped.path,
    message: `same session and same bytes as ${other.path}; read once`,
  };
}
