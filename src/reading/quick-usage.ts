import type { Diagnostic, SourceRef } from "../sources/source.ts";
import { assemble } from "../turns/assemble.ts";
import type { FileDraft, UsageEvent } from "../turns/model.ts";
import { fileLoader, unreadableFile, type OpenedSources } from "./library.ts";
import { unpackOnce, UsagePacker, type PackedUsage } from "./packed-usage.ts";
import { askAll } from "./jobs.ts";
import type { Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";

export interface QuickUsage {
  /** Made as they are asked for, each time anew. */
  events: Iterable<UsageEvent>;
  unreadable: Diagnostic[];
}

const STORY: ReadOptions = { detail: "usage", ledger: false, toolDetail: false, usageOnly: true };

/** Every response under the roots once, without turns: what sums over days and models need. */
export async function quickUsage(opened: OpenedSources, progress?: Progress): Promise<QuickUsage> {
  const jobs = opened.refs.map((ref) => ({ want: "usage" as const, bytes: ref.size, ref }));
  const answers = await askAll(jobs, progress);
  const unreadable: Diagnostic[] = [];
  const packed = new Map<SourceRef, PackedUsage>();
  const storied: SourceRef[] = [];
  for (const [i, given] of answers.entries()) {
    const ref = opened.refs[i] as SourceRef;
    if (given.error !== undefined) unreadable.push(unreadableFile(ref, given.error));
    else if (given.usage) packed.set(ref, given.usage);
    else storied.push(ref);
  }
  for (const [ref, usage] of tellStories(storied, opened)) packed.set(ref, usage);
  const bySource = opened.sources.map((source) =>
    opened.refs.filter((ref) => ref.source === source.id).flatMap((ref) => packed.get(ref) ?? []),
  );
  return {
    events: {
      *[Symbol.iterator]() {
        for (const files of bySource) yield* unpackOnce(files);
      },
    },
    unreadable,
  };
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
