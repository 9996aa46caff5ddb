import type { SourceRef } from "../sources/contract.ts";
import type { Statement, UsageEvent } from "../turns/model.ts";
import { reckon } from "../turns/unwritten.ts";
import type { QuickAnswer } from "./usage-job.ts";
import { eventAt, packed, rowsIn, type PackedUsage } from "./packed-usage.ts";
import { sourceOf } from "./read-file.ts";

interface Stating {
  session_id: string;
  statements: readonly Statement[];
}

/** Which files belong together, as far as their paths, ids and totals tell. */
export class QuickFamilies {
  readonly #files = new Map<string, SourceRef[]>();
  readonly #below = new Map<string, SourceRef[]>();
  readonly #usage = new Map<SourceRef, PackedUsage>();
  readonly #stating = new Map<SourceRef, Stating>();

  constructor(refs: readonly SourceRef[]) {
    for (const ref of refs) {
      const owner = ownerOf(ref);
      if (owner !== null) put(this.#below, `${ref.source}/${owner}`, ref);
    }
  }

  note(ref: SourceRef, { session_id, packed: usage, statements }: QuickAnswer): void {
    put(this.#files, `${ref.source}/${session_id}`, ref);
    if (statements.length > 0) this.#stating.set(ref, { session_id, statements });
    this.noteUsage(ref, usage);
  }

  /** Of a file that is part of another its responses are needed once more. */
  noteUsage(ref: SourceRef, usage: PackedUsage): void {
    if (ownerOf(ref) !== null) this.#usage.set(ref, usage);
  }

  /** Files of a session that were read only for their usage. */
  filesOf(source: string, session: string): readonly SourceRef[] {
    return this.#files.get(`${source}/${session}`) ?? [];
  }

  /** Files of sessions that ran in the processes of this one. */
  below(source: string, session: string): readonly SourceRef[] {
    return this.#below.get(`${source}/${session}`) ?? [];
  }

  /** Files that go on with a counter which others go on with as well: forks and copies. */
  sharing(): SourceRef[] {
    const users = new Map<string, SourceRef[]>();
    for (const [ref, { statements }] of this.#stating) {
      for (const counter of new Set(statements.map((one) => one.counter))) put(users, `${ref.source}/${counter}`, ref);
    }
    return [...new Set([...users.values()].filter((refs) => refs.length > 1).flat())];
  }

  /** What the totals of every other file hold beyond all records. */
  *unwritten(isWritten: (ref: SourceRef) => boolean): Generator<[SourceRef, PackedUsage], void, undefined> {
    for (const [ref, { session_id, statements }] of this.#stating) {
      if (isWritten(ref)) continue;
      const children = this.below(ref.source, session_id).flatMap((child) => eventsIn(this.#usage.get(child)));
      const { events } = reckon({ session_id, statements, children, baseOf: () => [] });
      if (events.length > 0) yield [ref, packed(events)];
    }
  }
}

/** A source that fails over a path knows no owner; what the file itself says is asked of it later. */
function ownerOf(ref: SourceRef): string | null {
  try {
    return sourceOf(ref).partOf?.(ref) ?? null;
  } catch {
    return null;
  }
}

function put<T>(map: Map<string, T[]>, key: string, item: T): void {
  const known = map.get(key);
  if (known) known.push(item);
  else map.set(key, [item]);
}

function eventsIn(usage: PackedUsage | undefined): UsageEvent[] {
  if (!usage) return [];
  return Array.from({ length: rowsIn(usage) }, (_, row) => eventAt(usage, row)).filter((event) => !event.copied);
}
