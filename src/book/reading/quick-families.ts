import type { SourceRef } from "../../agents/contract.ts";
import type { Statement, UsageEvent } from "../../turns/model.ts";
import { findUnwritten } from "../../turns/unwritten.ts";
import type { QuickAnswer } from "./usage-job.ts";
import { eventAt, packUsage, rowsIn, type PackedUsage } from "./packed-usage.ts";
import { sourceOf } from "./read-file.ts";
import { keyOfSession } from "../../record/session-key.ts";
import { addTo } from "../../base/maps.ts";

interface StatingFile {
  session_id: string;
  statements: readonly Statement[];
}

/** Which files belong together, as far as their paths, ids and totals tell. */
export class QuickFamilies {
  readonly #files = new Map<string, SourceRef[]>();
  readonly #below = new Map<string, SourceRef[]>();
  readonly #usage = new Map<SourceRef, PackedUsage>();
  readonly #stating = new Map<SourceRef, StatingFile>();

  constructor(refs: readonly SourceRef[]) {
    for (const ref of refs) {
      const owner = ownerOf(ref);
      if (owner !== null) addTo(this.#below, keyOfSession(ref.source, owner), ref);
    }
  }

  add(ref: SourceRef, { session_id, packed: usage, statements }: QuickAnswer): void {
    addTo(this.#files, keyOfSession(ref.source, session_id), ref);
    if (statements.length > 0) this.#stating.set(ref, { session_id, statements });
    this.addUsage(ref, usage);
  }

  /** The usage of a file that is part of another session is needed once more, for that session's totals. */
  addUsage(ref: SourceRef, usage: PackedUsage): void {
    if (ownerOf(ref) !== null) this.#usage.set(ref, usage);
  }

  /** Files of a session that were read only for their usage. */
  filesOf(source: string, session: string): readonly SourceRef[] {
    return this.#files.get(keyOfSession(source, session)) ?? [];
  }

  /** Files of the sessions that ran inside the processes of this session. */
  filesBelow(source: string, session: string): readonly SourceRef[] {
    return this.#below.get(keyOfSession(source, session)) ?? [];
  }

  /** Files that continue a counter which other files continue as well: forks and copies. */
  filesSharingCounters(): SourceRef[] {
    const users = new Map<string, SourceRef[]>();
    for (const [ref, { statements }] of this.#stating) {
      for (const counter of new Set(statements.map((one) => one.counter)))
        addTo(users, keyOfSession(ref.source, counter), ref);
    }
    return [...new Set([...users.values()].filter((refs) => refs.length > 1).flat())];
  }

  /** For every other file: the usage that its totals contain beyond all records. */
  *unwritten(isWritten: (ref: SourceRef) => boolean): Generator<[SourceRef, PackedUsage], void, undefined> {
    for (const [ref, { session_id, statements }] of this.#stating) {
      if (isWritten(ref)) continue;
      const children = this.filesBelow(ref.source, session_id).flatMap((child) => eventsIn(this.#usage.get(child)));
      const { events } = findUnwritten({ session_id, statements, children, baseOf: () => [] });
      if (events.length > 0) yield [ref, packUsage(events)];
    }
  }
}

/** If a source fails on a path, the owner is unknown; the source is asked again when the file itself is read. */
function ownerOf(ref: SourceRef): string | null {
  try {
    return sourceOf(ref).partOf?.(ref) ?? null;
  } catch {
    return null;
  }
}

function eventsIn(usage: PackedUsage | undefined): UsageEvent[] {
  if (!usage) return [];
  return Array.from({ length: rowsIn(usage) }, (_, row) => eventAt(usage, row)).filter((event) => !event.copied);
}
