import type { Diagnostic, SourceRef } from "../sources/source.ts";
import { assemble } from "../turns/assemble.ts";
import type { FileDraft } from "../turns/model.ts";
import { fileLoader, unreadableFile, type OpenedSources } from "./library.ts";
import { UsagePacker, type PackedUsage } from "./packed-usage.ts";
import { answer, askEach } from "./jobs.ts";
import type { Progress } from "./pool.ts";
import { readFile, type ReadOptions } from "./read-file.ts";
import { UsageGathering, type CostOf, type UsageLot } from "./usage-gathering.ts";

export interface QuickUsage {
  /** Made as they are asked for, each time anew. */
  lots: Iterable<UsageLot>;
  unreadable: Diagnostic[];
}

const STORY: ReadOptions = { detail: "usage", ledger: false, toolDetail: false, usageOnly: true };

/** Every response under the roots once, without turns: what sums over days and models need. */
export async function quickUsage(opened: OpenedSources, costOf: CostOf, progress?: Progress): Promise<QuickUsage> {
  const jobs = opened.refs.map((ref) => ({ want: "usage" as const, bytes: ref.size, ref }));
  const gathered = new Map(opened.sources.map((source) => [source.id, new UsageGathering(costOf)]));
  const places = new Map(opened.refs.map((ref, place) => [ref, place]));
  const take = (ref: SourceRef, usage: PackedUsage): void =>
    gathered.get(ref.source)?.take(places.get(ref) ?? places.size, usage);
  const unreadable = new Map<number, Diagnostic>();
  const refuse = (ref: SourceRef, error: string | undefined): void =>
    void unreadable.set(places.get(ref) ?? places.size, unreadableFile(ref, error));
  const storied = new Map<number, SourceRef>();
  const told = new Map<SourceRef, string>();
  await askEach(
    jobs,
    (given, place) => {
      const ref = opened.refs[place] as SourceRef;
      if (given.error !== undefined) refuse(ref, given.error);
      else if (given.usage) {
        take(ref, given.usage.packed);
        told.set(ref, given.usage.session_id);
      } else storied.set(place, ref);
    },
    progress,
  );
  for (const [ref, usage] of tellStories(inOrder(storied), told, refuse)) take(ref, usage);
  return {
    lots: {
      *[Symbol.iterator]() {
        for (const source of gathered.values()) yield* source.lots();
      },
    },
    unreadable: inOrder(unreadable),
  };
}

/** Answers come in any order; what is told of them does not. */
function inOrder<T>(byPlace: ReadonlyMap<number, T>): T[] {
  return [...byPlace].toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

/**
 * Files that repeat others are read whole, together with the rest of their sessions and those they name as their origin. `told`: the session of each of
 * the other files.
 */
function tellStories(
  storied: readonly SourceRef[],
  told: ReadonlyMap<SourceRef, string>,
  refuse: (ref: SourceRef, error: string | undefined) => void,
): Map<SourceRef, PackedUsage> {
  const out = new Map<SourceRef, PackedUsage>();
  const drafts = new Map<SourceRef, FileDraft>();
  for (const ref of storied) {
    const { draft, error } = answer({ want: "draft", bytes: ref.size, ref, options: STORY });
    if (draft) drafts.set(ref, draft);
    else refuse(ref, error);
  }
  if (drafts.size === 0) return out;
  const files = new Map<string, SourceRef[]>();
  for (const [ref, id] of told) files.set(`${ref.source}/${id}`, [...(files.get(`${ref.source}/${id}`) ?? []), ref]);
  const queue = [...drafts.values()];
  for (let draft = queue.pop(); draft; draft = queue.pop()) {
    const { source, session_id, meta } = draft;
    const needed = [session_id, meta.forked_from].flatMap((id) => (id && files.get(`${source}/${id}`)) || []);
    for (const ref of needed) {
      if (drafts.has(ref)) continue;
      const other = readFile(ref, STORY);
      drafts.set(ref, other);
      queue.push(other);
    }
  }
  const { sessions } = assemble([...drafts.values()], fileLoader(STORY));
  const asked = new Set(storied);
  for (const session of sessions) {
    for (const part of session.parts) {
      if (!asked.has(part.ref)) continue;
      const packer = new UsagePacker();
      for (const event of part.usage) packer.add(event);
      out.set(part.ref, packer.pack());
    }
  }
  return out;
}
