import type { Diagnostic, SourceRef } from "../sources/source.ts";
import { assemble } from "../turns/assemble.ts";
import type { FileDraft } from "../turns/model.ts";
import { fileLoader, unreadableFile, type OpenedSources } from "./library.ts";
import { UsagePacker, type PackedUsage } from "./packed-usage.ts";
import { askEach } from "./jobs.ts";
import type { Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";
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
  const storied = new Map<number, SourceRef>();
  await askEach(
    jobs,
    (given, place) => {
      const ref = opened.refs[place] as SourceRef;
      if (given.error !== undefined) unreadable.set(place, unreadableFile(ref, given.error));
      else if (given.usage) take(ref, given.usage);
      else storied.set(place, ref);
    },
    progress,
  );
  for (const [ref, usage] of tellStories(inOrder(storied), opened)) take(ref, usage);
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

/** Files that repeat others are read whole, together with the sessions they name as their origin. */
function tellStories(storied: readonly SourceRef[], opened: OpenedSources): Map<SourceRef, PackedUsage> {
  const out = new Map<SourceRef, PackedUsage>();
  if (storied.length === 0) return out;
  const byId = new Map<string, SourceRef[]>();
  for (const ref of opened.refs) {
    const id = `${ref.source}/${sourceOf(ref).sessionId(ref)}`;
    byId.set(id, [...(byId.get(id) ?? []), ref]);
  }
  const drafts = new Map<SourceRef, FileDraft>();
  const queue = [...storied];
  for (let ref = queue.pop(); ref; ref = queue.pop()) {
    if (drafts.has(ref)) continue;
    const draft = readFile(ref, STORY);
    drafts.set(ref, draft);
    if (draft.meta.forked_from !== null) queue.push(...(byId.get(`${ref.source}/${draft.meta.forked_from}`) ?? []));
  }
  const { sessions } = assemble([...drafts.values()], fileLoader(STORY));
  const asked = new Set(storied);
  for (const session of sessions) {
    for (const part of session.parts) {
      if (!asked.has(part.ref)) continue;
      const packer = new UsagePacker();
      for (const event of part.usage) packer.add(event, event.time);
      out.set(part.ref, packer.pack());
    }
  }
  return out;
}
