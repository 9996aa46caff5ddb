import type { Diagnostic, SourceRef } from "../../agents/contract.ts";
import { assemble } from "../../turns/assemble.ts";
import type { FileDraft } from "../../turns/model.ts";
import { fileLoader, unreadableFile, type OpenedSources } from "./library.ts";
import { packUsage, type PackedUsage } from "./packed-usage.ts";
import { QuickFamilies } from "./quick-families.ts";
import { runReadJob, streamReadJobs } from "./jobs.ts";
import type { UsageCache } from "./usage-cache.ts";
import type { Progress } from "./pool.ts";
import type { ReadOptions } from "./read-file.ts";
import type { QuickAnswer } from "./usage-job.ts";
import { UsageGathering, type CostOf, type UsageGroup } from "./usage-gathering.ts";

export interface QuickUsage {
  /** Computed anew on every iteration. */
  groups: Iterable<UsageGroup & { source: string }>;
  unreadable: Diagnostic[];
}

const FULL_READ: ReadOptions = { detail: "usage", ledger: false, toolDetail: false, withoutTraces: true };

/** Every response under the roots once, without turns: enough for sums over days and models. */
export async function quickUsage(
  opened: OpenedSources,
  costOf: CostOf,
  progress?: Progress,
  cache?: UsageCache,
): Promise<QuickUsage> {
  const gathered = new Map(opened.sources.map((source) => [source.id, new UsageGathering(costOf)]));
  const places = new Map(opened.refs.map((ref, place) => [ref, place]));
  const take = (ref: SourceRef, usage: PackedUsage): void =>
    gathered.get(ref.source)?.take(places.get(ref) ?? places.size, usage);
  const unreadable = new Map<number, Diagnostic>();
  const refuse = (ref: SourceRef, error: string | undefined): void =>
    void unreadable.set(places.get(ref) ?? places.size, unreadableFile(ref, error));
  const storied = new Map<number, SourceRef>();
  const families = new QuickFamilies(opened.refs);
  const add = (ref: SourceRef, usage: QuickAnswer): void => {
    take(ref, usage.packed);
    families.add(ref, usage);
  };
  const unknown: SourceRef[] = [];
  for (const ref of opened.refs) {
    const known = cache?.get(ref);
    if (known) add(ref, known);
    else unknown.push(ref);
  }
  await streamReadJobs(
    unknown.map((ref) => ({ want: "usage", bytes: ref.size, ref })),
    (given, index) => {
      const ref = unknown[index] as SourceRef;
      if (given.error !== undefined) refuse(ref, given.error);
      else if (given.usage) {
        add(ref, given.usage);
        cache?.put(ref, given.usage);
      } else storied.set(places.get(ref) ?? places.size, ref);
    },
    progress,
  );
  const whole = new Set(inOrder(storied));
  // If several files continue the same totals, only full drafts can tell their shares apart.
  const stories = readFamilies([...whole, ...families.filesSharingCounters()], families, refuse);
  for (const [ref, { usage }] of stories) {
    if (!whole.has(ref)) continue;
    take(ref, usage);
    families.addUsage(ref, usage);
  }
  const unwritten = [...stories].map(([ref, story]) => [ref, story.unwritten] as const);
  for (const [ref, usage] of [...unwritten, ...families.unwritten((one) => stories.has(one))])
    gathered.get(ref.source)?.take(places.size + (places.get(ref) ?? places.size), usage);
  return {
    groups: {
      *[Symbol.iterator]() {
        for (const [source, gathering] of gathered)
          for (const { event, cost } of gathering.groups()) yield { event, cost, source };
      },
    },
    unreadable: inOrder(unreadable),
  };
}

/** Results arrive in any order; what is reported must not depend on it. */
function inOrder<T>(byPlace: ReadonlyMap<number, T>): T[] {
  return [...byPlace].toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

interface FullUsage {
  usage: PackedUsage;
  /** Usage that no record states. */
  unwritten: PackedUsage;
}

/**
 * Reads files that repeat others in full, together with the rest of their sessions, the sessions they name as their
 * origin, and those that ran inside their processes.
 */
function readFamilies(
  storied: readonly SourceRef[],
  families: QuickFamilies,
  refuse: (ref: SourceRef, error: string | undefined) => void,
): Map<SourceRef, FullUsage> {
  const out = new Map<SourceRef, FullUsage>();
  const drafts = new Map<SourceRef, FileDraft>();
  for (const ref of storied) {
    const { draft, error } = runReadJob({ want: "draft", bytes: ref.size, ref, options: FULL_READ });
    if (draft) drafts.set(ref, draft);
    else refuse(ref, error);
  }
  if (drafts.size === 0) return out;
  const queue = [...drafts.values()];
  for (let draft = queue.pop(); draft; draft = queue.pop()) {
    const { source, session_id, meta, statements } = draft;
    const needed = [session_id, meta.forked_from].flatMap((id) => (id ? families.filesOf(source, id) : []));
    if (meta.copy_of) needed.push(...families.filesOf(meta.copy_of.source, meta.copy_of.session_id));
    if (statements.length > 0) needed.push(...families.filesBelow(source, session_id));
    for (const ref of needed) {
      if (drafts.has(ref)) continue;
      const { draft: other, error } = runReadJob({ want: "draft", bytes: ref.size, ref, options: FULL_READ });
      if (!other) {
        refuse(ref, error);
        continue;
      }
      drafts.set(ref, other);
      queue.push(other);
    }
  }
  const { sessions, diagnostics } = assemble([...drafts.values()], fileLoader(FULL_READ));
  const lost = new Map(diagnostics.flatMap((one) => (one.code === "file_unreadable" ? [[one.path, one.message]] : [])));
  for (const ref of drafts.keys()) if (lost.has(ref.path)) refuse(ref, lost.get(ref.path));
  const asked = new Set(storied);
  for (const session of sessions) {
    const unwritten = session.usage.map(({ event }) => event).filter((event) => event.reason !== undefined);
    const last = session.parts.findLast((part) => asked.has(part.ref));
    for (const part of session.parts) {
      if (asked.has(part.ref))
        out.set(part.ref, { usage: packUsage(part.usage), unwritten: packUsage(part === last ? unwritten : []) });
    }
  }
  return out;
}
