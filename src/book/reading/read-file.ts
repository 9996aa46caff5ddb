import { findSource } from "../../agents/registry.ts";
import type { ReadContext, SourceRef } from "../../agents/contract.ts";
import { DaybookError } from "../../base/errors.ts";
import { buildDraft, type BuildOptions } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";

export interface ReadOptions extends BuildOptions {
  detail: ReadContext["detail"];
}

/** Reads one file from beginning to end into a draft. */
export function readFile(ref: SourceRef, options: ReadOptions, extra: Partial<ReadContext> = {}): FileDraft {
  const source = sourceOf(ref);
  const reading = source.read(ref, null, { detail: options.detail, ...extra });
  return buildDraft(ref, source.sessionId(ref), reading, options);
}

export function sourceOf(ref: SourceRef): NonNullable<ReturnType<typeof findSource>> {
  const source = findSource(ref.source);
  if (source) return source;
  throw new DaybookError(`no such source: ${ref.source}`, { code: "usage", op: "read session", path: ref.path });
}

/** The session id as far as the path tells. */
export function sessionIdOf(ref: SourceRef): string {
  return sourceOf(ref).sessionId(ref);
}
