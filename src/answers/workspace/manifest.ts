import type { FileDraft } from "../../turns/model.ts";
import type { CopyResult } from "./copy.ts";
import type { IndexRow } from "./index-row.ts";
import type { PlannedCopy, PlannedRow } from "./layout.ts";
import type { LeftOut } from "./select.ts";
import { formatInstant, type Metadata } from "./window.ts";
import { orderLists } from "../../base/text/order.ts";

export interface SourceSpec {
  source: string;
  /** Null when the agent's default places were searched and nothing was found. */
  root: string | null;
}

export interface ManifestEntry {
  source: string;
  source_session_id: string;
  source_path: string;
  workspace_project_key: string;
  workspace_session_path: string;
  canonical_project_root: string;
  project_root_is_unknown: boolean;
  source_checksum_sha256: string | null;
  workspace_checksum_sha256: string;
  total_lines: number;
  target_start_line: number;
  target_end_line: number;
  first_event_at: string | null;
  last_event_at: string | null;
  malformed_line_count: number;
  untimestamped_record_count: number;
  non_monotonic_timestamp_count: number;
  warnings: string[];
}

export interface ManifestSubagent {
  source: string;
  source_session_id: string;
  source_path: string;
  workspace_project_key: string;
  workspace_session_path: string;
  source_checksum_sha256: string | null;
  workspace_checksum_sha256: string;
  total_lines: number;
}

/** Private: holds paths of this machine and irregularities of the files. Never input of a report. */
export interface Manifest {
  schema_version: number;
  report_date: string;
  timezone: string;
  status: string;
  prepared_at: string;
  workspace_path: string;
  min_output: number | null;
  source_specs: SourceSpec[];
  sessions: ManifestEntry[];
  subagents: ManifestSubagent[];
  left_out: LeftOut[];
  gone: GoneFile[];
}

/** A file that was restored from the book, because it no longer exists or has other content now. */
export interface GoneFile {
  source: string;
  source_session_id: string;
  source_path: string;
  reason: NonNullable<FileDraft["gone"]>;
}

export interface ManifestFacts extends Pick<
  Manifest,
  "workspace_path" | "min_output" | "source_specs" | "sessions" | "subagents" | "left_out" | "gone"
> {
  metadata: Metadata;
}

export function manifestOf({ metadata, sessions, subagents, ...facts }: ManifestFacts): Manifest {
  const { schema_version, report_date, timezone, status, prepared_at } = metadata;
  return {
    schema_version,
    report_date,
    timezone,
    status,
    prepared_at,
    ...facts,
    sessions: sessions.toSorted(byPlace),
    subagents: subagents.toSorted(byPlace),
  };
}

export function manifestSession(row: PlannedRow, index: IndexRow, copied: CopyResult): ManifestEntry {
  const { session, part, project, root } = row.file;
  const { cwd } = session.meta;
  const { untimed, backwards, records, first_time, last_time } = part;
  return {
    source: session.source,
    source_session_id: session.session_id,
    source_path: part.path,
    workspace_project_key: project.project_key,
    workspace_session_path: index.session_path,
    canonical_project_root: root,
    project_root_is_unknown: cwd === null || cwd.trim() === "",
    source_checksum_sha256: copied.source_sha256,
    workspace_checksum_sha256: copied.workspace_sha256,
    total_lines: copied.lines,
    target_start_line: index.target_start_line,
    target_end_line: index.target_end_line,
    first_event_at: first_time === null ? null : formatInstant(first_time),
    last_event_at: last_time === null ? null : formatInstant(last_time),
    malformed_line_count: records.corrupt,
    untimestamped_record_count: untimed,
    non_monotonic_timestamp_count: backwards,
    warnings: warningsOf(row, copied),
  };
}

/** The copies that only the book still has. */
export function goneFiles(copies: readonly PlannedCopy[]): GoneFile[] {
  return copies.flatMap(({ session: { source, session_id }, part }) =>
    part.gone === null ? [] : [{ source, source_session_id: session_id, source_path: part.path, reason: part.gone }],
  );
}

function warningsOf({ file: { part } }: PlannedRow, copied: CopyResult): string[] {
  const grown = copied.span === null ? copied.lines - part.lines : 0;
  const counts: [number, string][] = [
    [part.records.corrupt, "malformed JSONL line(s)"],
    [part.untimed, "untimestamped record(s)"],
    [part.backwards, "non-monotonic timestamp(s)"],
    // The agent was still writing: spans end where the file ended when it was read.
    [grown, "line(s) added while the workspace was prepared"],
  ];
  return [
    ...(part.gone === null ? [] : [`the file was ${part.gone}; laid out from the book`]),
    ...counts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`),
  ];
}

export function manifestSubagent(copy: PlannedCopy, key: string, copied: CopyResult): ManifestSubagent {
  return {
    source: copy.session.source,
    source_session_id: copy.session.session_id,
    source_path: copy.part.path,
    workspace_project_key: key,
    workspace_session_path: copy.to,
    source_checksum_sha256: copied.source_sha256,
    workspace_checksum_sha256: copied.workspace_sha256,
    total_lines: copied.lines,
  };
}

function byPlace(a: ManifestSubagent | ManifestEntry, b: ManifestSubagent | ManifestEntry): number {
  const [x, y] = [a, b].map((s) => [s.workspace_project_key, s.source, s.source_session_id, s.source_path]);
  return orderLists(x ?? [], y ?? []);
}
