import { suggestion } from "../../base/text/near.ts";
import { readFileSync, statSync } from "node:fs";
import { SOURCES } from "../../agents/registry.ts";
import type { Diagnostic, DiscoverContext, SideFacts, Source, SourceRef } from "../../agents/contract.ts";
import { assemble, type Assembly } from "../../turns/assemble.ts";
import type { FileDraft } from "../../turns/model.ts";
import { markRecurring } from "../../turns/recurring.ts";
import { markRepeated } from "../../turns/repeated.ts";
import type { DraftLoader, RecordIdentity } from "../../turns/parts.ts";
import { DaybookError, isLocal, messageOf } from "../../base/errors.ts";
import { homeDirectoryFor } from "../../base/home.ts";
import { factsOf } from "./side-facts.ts";
import { specialFileKind } from "../../base/io/regular-file.ts";
import { isLfsPointer, MAX_POINTER_BYTES } from "../../base/io/lfs.ts";
import { runReadJobs } from "./jobs.ts";
import type { Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";
import { sendsCommandsAsText } from "./source-ids.ts";

export interface OpenOptions {
  env?: Readonly<Record<string, string | undefined>>;
  home?: string;
  /** Source id → directories or files. When given, only these are read. */
  roots?: Readonly<Record<string, readonly string[]>>;
  /** Source id → places to search instead of the agent's own; other sources keep their own. */
  configured?: Readonly<Record<string, readonly string[]>>;
  /** Directories that other sessions worked in: some agents store their history inside the project. */
  worked_in?: readonly string[];
  /** Sessions read before, by source and path. */
  known?: ReadonlyMap<string, ReadonlyMap<string, readonly SourceRef[]>>;
  /** Notes the sources stored when they last searched, keyed by source and path with a tab between. */
  noted?: ReadonlyMap<string, string>;
  /** Only these sources. */
  sources?: readonly string[];
}

/** What was found on this machine (or under the given roots) before any session is read. */
export interface OpenedSources {
  sources: readonly Source[];
  refs: SourceRef[];
  diagnostics: Diagnostic[];
  /** New or changed notes that the sources want to store, keyed by source and path with a tab between. */
  notes: ReadonlyMap<string, string>;
  /** The places each source searched. */
  looked: ReadonlyMap<string, readonly string[]>;
  context(source: Source): DiscoverContext;
  /** What the source stores beside its sessions; empty where that cannot be read. */
  facts(source: Source): Required<SideFacts>;
}

/** Finds the session files of every source. */
export function openSources(options: OpenOptions = {}): OpenedSources {
  const env = options.env ?? process.env;
  const home =
    options.home ?? (options.roots ? "" : homeDirectoryFor("the agents' sessions", env, "name places to read"));
  const diagnostics: Diagnostic[] = [];
  const notes = new Map<string, string>();
  const looked = new Map<string, string[]>();
  for (const id of [
    ...Object.keys(options.roots ?? {}),
    ...Object.keys(options.configured ?? {}),
    ...(options.sources ?? []),
  ])
    assertKnown(id);
  const wanted = SOURCES.filter((source) => {
    if (options.roots && !(source.id in options.roots)) return false;
    return !options.sources || options.sources.length === 0 || options.sources.includes(source.id);
  });
  /** The named roots without special files, which hold no sessions and might block the reader. */
  const namedRoots = (source: string): readonly string[] | null => {
    const named = options.roots?.[source] ?? options.configured?.[source] ?? null;
    return named?.filter((path) => !odd.has(path)) ?? null;
  };
  const odd = new Set<string>();
  for (const { id } of wanted)
    for (const path of options.roots?.[id] ?? options.configured?.[id] ?? []) {
      const kind = oddKindAt(path);
      if (kind === null) continue;
      odd.add(path);
      const message = `${kind}: sessions are in directories and files`;
      diagnostics.push({ code: "root_unreadable", source: id, path, message });
    }
  const context = (source: Source): DiscoverContext => ({
    env,
    home,
    roots: namedRoots(source.id),
    worked_in: options.worked_in ?? [],
    known: (path) => options.known?.get(source.id)?.get(path) ?? [],
    noted: (path) => options.noted?.get(`${source.id}\t${path}`) ?? null,
    note(path, text) {
      const key = `${source.id}\t${path}`;
      if (options.noted?.get(key) !== text) notes.set(key, text);
    },
    looked(path) {
      const places = looked.get(source.id);
      if (!places) looked.set(source.id, [path]);
      else if (!places.includes(path)) places.push(path);
    },
    report: (diagnostic) => diagnostics.push(namedPointer(diagnostic)),
  });
  const refs: SourceRef[] = [];
  const fail = (source: Source, what: string, error: unknown): void => {
    if (!isLocal(error)) throw error;
    const path = looked.get(source.id)?.at(-1) ?? context(source).roots?.[0] ?? source.id;
    const found: Diagnostic = {
      code: "root_unreadable",
      source: source.id,
      path,
      message: `${what}: ${messageOf(error)}`,
    };
    // Report a repeated failure once.
    if (!diagnostics.some((one) => one.path === path && one.message === found.message)) diagnostics.push(found);
  };
  for (const source of wanted) {
    try {
      for (const ref of source.discover(context(source))) {
        assertOwn(ref, source);
        if (isPointer(ref, options.known)) diagnostics.push(pointer(ref));
        else refs.push(ref);
      }
    } catch (error) {
      // Sessions found before the failure stay in the list.
      fail(source, "its sessions cannot be looked for", error);
    }
  }
  const facts = (source: Source): Required<SideFacts> =>
    factsOf(source, context(source), (what, error) => fail(source, what, error));
  return { sources: wanted, refs, diagnostics, notes, looked, context, facts };
}

/** Readers that users wrote are not checked by our compiler: what they find may be anything. */
function assertOwn(ref: SourceRef, { id }: Source): void {
  if (ref.source !== id || typeof ref.path !== "string" || !Number.isFinite(ref.size) || !Number.isFinite(ref.mtimeMs))
    throw new TypeError(`it found something that is no session of "${id}"`);
}

function oddKindAt(path: string): string | null {
  try {
    return specialFileKind(statSync(path));
  } catch {
    // Whoever searches it for sessions reports that it is missing.
    return null;
  }
}

/** A small file that was not read before may be a Git LFS pointer instead of a session. */
function isPointer(ref: SourceRef, known: OpenOptions["known"]): boolean {
  if (ref.container === "sqlite" || ref.size > MAX_POINTER_BYTES) return false;
  const before = known?.get(ref.source)?.get(ref.path) ?? [];
  return !before.some(({ size, mtimeMs }) => size === ref.size && mtimeMs === ref.mtimeMs) && isLfsPointer(ref.path);
}

/** A file reported as foreign or unreadable may be a pointer as well. */
function namedPointer(diagnostic: Diagnostic): Diagnostic {
  const { code, path } = diagnostic;
  return (code === "file_foreign" || code === "file_unreadable") && isLfsPointer(path)
    ? pointer(diagnostic)
    : diagnostic;
}

function pointer({ source, path }: Pick<Diagnostic, "source" | "path">): Diagnostic {
  return {
    code: "file_pointer",
    source,
    path,
    message: "a Git LFS pointer: the file it stands for was not fetched",
    hint: "`git lfs pull` in its repository fetches it",
  };
}

function assertKnown(id: string): void {
  if (SOURCES.some((source) => source.id === id)) return;
  throw new DaybookError(`unknown source: ${id}`, {
    code: "usage",
    op: "choose sources",
    hint: suggestion(
      id,
      SOURCES.map((source) => source.id),
    ),
  });
}

export interface ReadResult extends Assembly {
  refs: readonly SourceRef[];
  /** Files that could not be opened. */
  unreadable: Diagnostic[];
}

/** Reads the files and assembles the sessions. */
export async function readSessions(
  opened: OpenedSources,
  options: ReadOptions,
  progress?: Progress,
): Promise<ReadResult> {
  const jobs = opened.refs.map((ref) => ({ want: "draft" as const, bytes: ref.size, ref, options }));
  const done = await runReadJobs(jobs, progress);
  const drafts: FileDraft[] = [];
  const unreadable: Diagnostic[] = [];
  for (const [i, result] of done.entries()) {
    const ref = opened.refs[i] as SourceRef;
    if (result.draft) drafts.push(result.draft);
    else unreadable.push(unreadableFile(ref, result.error));
  }
  const assembly = assemble(drafts, fileLoader(options));
  markRecurring(assembly.sessions);
  markRepeated(assembly.sessions, sendsCommandsAsText);
  return { ...assembly, refs: opened.refs, unreadable, diagnostics: [...opened.diagnostics, ...assembly.diagnostics] };
}

export function unreadableFile(ref: SourceRef, error: string | undefined): Diagnostic {
  return {
    code: "file_unreadable",
    source: ref.source,
    path: ref.path,
    message: error ?? "the file could not be read",
    hint: "check that it still exists and that you may read it",
  };
}

export function fileLoader(options: ReadOptions): DraftLoader {
  return {
    identities({ ref }) {
      const out: RecordIdentity[] = [];
      for (const entry of sourceOf(ref).read(ref, null, { detail: "lean", identities: true })) {
        out.push({ identity: entry.identity ?? null, time: entry.time });
      }
      return out;
    },
    readInherited: (draft, inherited) => ({
      ...readFile(draft.ref, options, { inherited }),
      inherited_from: inherited,
    }),
    sameBytes: ({ ref: a }, { ref: b }) =>
      a.key === undefined &&
      b.key === undefined &&
      a.size === b.size &&
      readFileSync(a.path).equals(readFileSync(b.path)),
    hasUniqueIdentities: (source) => SOURCES.some((s) => s.id === source && s.capabilities.globalIdentities === true),
  };
}
