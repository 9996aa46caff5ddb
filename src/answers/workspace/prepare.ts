import { mkdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Project } from "../../views/projects/project.ts";
import type { OpenedSources, ReadResult } from "../../book/reading/library.ts";
import type { TimeRange } from "../../base/time/range.ts";
import type { Zone } from "../../base/time/zone.ts";
import type { Session } from "../../turns/session.ts";
import { childFiles } from "./children.ts";
import { copySession, type CopyResult } from "./copy.ts";
import { indexRow, indexText } from "./index-row.ts";
import { planLayout, type PlannedCopy, type PlannedProject } from "./layout.ts";
import {
  goneFiles,
  manifestOf,
  manifestSession,
  manifestSubagent,
  type GoneFile,
  type ManifestFacts,
  type SourceSpec,
} from "./manifest.ts";
import { dropLowOutput } from "./output.ts";
import { ownSessionReason } from "./own.ts";
import { ownPlaces } from "./own-places.ts";
import { workspacePlaces } from "./places.ts";
import { assertReplaceable, assertReusable, countWorkspace, examineFolder, type Counts } from "./reuse.ts";
import { selectFiles, type LeftOut, type Selection } from "./select.ts";
import { metadataOf, resolveTarget, WORKSPACE_SCHEMA, type Metadata, type TargetRequest } from "./window.ts";
import { jsonText, replaceFolder, writeAtomic, writeText } from "./write.ts";

/** The parts of `Daybook` that preparing a workspace needs. */
export interface DaybookReader {
  readonly zone: Zone;
  opened(): OpenedSources;
  /** Sessions with requests in the range, and all sessions that belong to them. */
  evidence(range: TimeRange): Promise<ReadResult>;
  projectOf(session: Session): Project;
  /** The directory of its project. */
  rootOf(session: Session): string;
}

export interface PrepareRequest extends TargetRequest {
  now: number;
  /** Daybook's own folder. */
  home: string;
  /** The workspace itself; `work/<date>` in the home when absent. */
  out?: string | undefined;
  force?: boolean | undefined;
  /** Leaves out sessions that are known to have produced less in every turn. */
  minOutput?: number | undefined;
  /** The command that would rebuild the workspace, for error messages. */
  again?: ((date: string) => string) | undefined;
}

export interface Prepared extends Counts {
  workspace: string;
  manifest: string;
  metadata: Metadata;
  /** False when a workspace of the same day was there already. */
  created: boolean;
  subagents: number;
  left_out: LeftOut[];
  /** Files that were restored from the book. */
  gone: GoneFile[];
}

/**
 * Prepares the evidence folder of one day. All decisions are made, and all conflicts found, before anything on disk
 * changes.
 */
export async function prepareWorkspace(book: DaybookReader, request: PrepareRequest): Promise<Prepared> {
  const target = resolveTarget(request, book.zone, request.now);
  const places = workspacePlaces(request.home, target.date, request.out);
  const metadata = metadataOf(target, book.zone, request.now);
  const found = examineFolder(places.workspace);
  if (found.kind !== "absent" && request.force !== true) {
    const again = request.again?.(target.date) ?? "prepare the day again with force";
    assertReusable(found, metadata, places.workspace, again);
    const stated = found.kind === "workspace" ? found.metadata : metadata;
    const counts = countWorkspace(places.workspace);
    return { ...places, metadata: stated, created: false, ...counts, subagents: 0, left_out: [], gone: [] };
  }
  assertReplaceable(found, places.workspace, places.isOwn);

  const { sessions, byKey } = await book.evidence(target);
  const own = [places.home, places.workspace].map((dir) => ({ dir, since: null }));
  const workplaces = [...own, ...ownPlaces(places.home)];
  let selection: Selection = selectFiles(sessions, {
    window: target,
    projectOf: (session) => book.projectOf(session),
    rootOf: (session) => book.rootOf(session),
    refuse: (session) => ownSessionReason(session, workplaces),
  });
  if (request.minOutput !== undefined) selection = dropLowOutput(selection, request.minOutput);
  const leftOut = [...selection.left_out];
  const plan = planLayout(selection.files, (file) => childFiles(file, byKey, (left) => leftOut.push(left)));

  const written = replaceFolder(places.workspace, (folder) => writeWorkspace(folder, metadata, plan));
  const facts: ManifestFacts = {
    metadata,
    workspace_path: places.workspace,
    min_output: request.minOutput ?? null,
    source_specs: sourceSpecs(book.opened()),
    ...written,
    left_out: unique(leftOut),
    gone: goneFiles(plan.flatMap((project) => project.copies)),
  };
  writeAtomic(places.manifest, jsonText(manifestOf(facts)));
  return {
    workspace: places.workspace,
    manifest: places.manifest,
    metadata,
    created: true,
    projects: plan.length,
    sessions: written.sessions.length,
    turns: selection.files.reduce((sum, file) => sum + file.turns.length, 0),
    subagents: written.subagents.length,
    left_out: facts.left_out,
    gone: facts.gone,
  };
}

type Written = Pick<ManifestFacts, "sessions" | "subagents">;

/** Metadata is written last: a folder without it is no workspace. */
function writeWorkspace(folder: string, metadata: Metadata, plan: readonly PlannedProject[]): Written {
  const written: Written = { sessions: [], subagents: [] };
  mkdirSync(join(folder, "projects"), { mode: 0o700 });
  for (const project of plan) {
    const dir = join(folder, "projects", project.key);
    const copied = new Map<PlannedCopy, CopyResult>();
    for (const copy of project.copies) copied.set(copy, copySession(copy, join(dir, copy.to)));
    const roots = new Set<PlannedCopy>();
    const rows = project.rows.map((row) => {
      const copy = copied.get(row.copy) as CopyResult;
      const index = indexRow(row, copy);
      roots.add(row.copy);
      written.sessions.push(manifestSession(row, index, copy));
      return index;
    });
    for (const [copy, done] of copied) {
      if (!roots.has(copy)) written.subagents.push(manifestSubagent(copy, project.key, done));
    }
    const head = { schema_version: WORKSPACE_SCHEMA, project_key: project.key, project_label: project.label };
    writeText(join(dir, "project.json"), jsonText(head));
    writeText(join(dir, "sessions.index.jsonl"), indexText(rows));
  }
  writeText(join(folder, "metadata.json"), jsonText(metadata));
  return written;
}

/** The given roots, or else the folder that contains what discovery found. */
function sourceSpecs(opened: OpenedSources): SourceSpec[] {
  return opened.sources.flatMap((source): SourceSpec[] => {
    const given = opened.context(source).roots;
    if (given !== null) return given.map((root) => ({ source: source.id, root }));
    const folders = opened.refs.filter((ref) => ref.source === source.id).map((ref) => dirname(ref.path));
    return [{ source: source.id, root: commonFolder(folders) }];
  });
}

function commonFolder(folders: readonly string[]): string | null {
  return folders.reduce<string | null>((common, folder) => {
    let at = common ?? folder;
    const holds = (dir: string): boolean => dir === folder || folder.startsWith(dir.endsWith(sep) ? dir : dir + sep);
    while (!holds(at) && dirname(at) !== at) at = dirname(at);
    return at;
  }, null);
}

function unique(list: readonly LeftOut[]): LeftOut[] {
  return [...new Map(list.map((left) => [`${left.source_path} ${left.reason}`, left])).values()];
}
