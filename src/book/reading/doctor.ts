import { existsSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Diagnostic, Drift, PromptWitness } from "../../agents/contract.ts";
import { addDrift, sortedDrift } from "./drift.ts";
import type { OpenedSources, ReadResult } from "./library.ts";
import { lostPrompts } from "./lost-prompts.ts";
import { newerVersions } from "./versions.ts";
import type { Session } from "../../turns/session.ts";

/** A place that was searched for sessions. */
export interface Probed {
  path: string;
  verdict: "found" | "empty" | "missing";
  files: number;
}

export interface SourceHealth {
  source: string;
  name: string;
  places: Probed[];
  files: number;
  bytes: number;
  sessions: number;
  verdict: "ok" | "empty" | "trouble";
  drift: Drift;
  /** Versions found in the files that are newer than any whose files were checked. */
  newer_versions: string[];
  corrupt_lines: number;
  unknown_records: number;
  /** Prompts in the agent's input history, and those of them whose transcript is gone. */
  history: { prompts: number; without_transcript: PromptWitness[] };
  /** Files the agent will delete within a week, by its own retention rule. */
  retention: { days: number | null; at_risk: { path: string; days_left: number }[] };
  /** Sessions whose files the agent has deleted: only the book still has them. */
  only_in_book: string[];
  problems: Diagnostic[];
  /** What cannot be known from this agent's files. */
  unknowable: readonly string[];
}

export interface DoctorReport {
  schema_version: 1;
  sources: SourceHealth[];
  healthy: boolean;
}

/** The health of one session. */
export interface HealthRow {
  source: string;
  session_id: string;
  paths: string[];
  drift: Drift[];
  corrupt: number;
  unknown: number;
  diagnostics: readonly Diagnostic[];
}

export function healthOf({ source, session_id, parts, records, diagnostics }: Session): HealthRow {
  return {
    source,
    session_id,
    corrupt: records.corrupt,
    unknown: records.unknown,
    diagnostics,
    paths: parts.map(({ path }) => path),
    drift: parts.map(({ drift }) => drift),
  };
}

const DAY = 86_400_000;
const SOON = 7;

export function doctorReport(
  opened: OpenedSources,
  result: Pick<ReadResult, "diagnostics" | "unreadable"> & { sessions: readonly HealthRow[] },
  now: number,
): DoctorReport {
  const sources = opened.sources.map((source): SourceHealth => {
    const refs = opened.refs.filter((ref) => ref.source === source.id);
    const sessions = result.sessions.filter((session) => session.source === source.id);
    const problems = [...result.diagnostics, ...result.unreadable, ...sessions.flatMap((s) => s.diagnostics)].filter(
      (d) => d.source === source.id,
    );
    const typed = opened.facts(source).prompts();
    const known = new Set(sessions.map((session) => session.session_id));
    const lost = lostPrompts(typed, (_, id) => known.has(id));
    const drift = sortedDrift(addDrift(sessions.flatMap((session) => session.drift)));
    const corrupt = sessions.reduce((sum, s) => sum + s.corrupt, 0);
    const isMisread = Object.keys(drift.unknownTypes).length > 0 || corrupt > 0 || lost.length > 0;
    const days = source.capabilities.retentionDays;
    const present = new Set(refs.map((ref) => ref.path));
    // A file outside the agent's places was once named by the user; it is not deleted as long as it exists.
    const orphans = sessions.filter((session) =>
      session.paths.every((path) => !present.has(path) && !existsSync(path)),
    );
    return {
      source: source.id,
      name: source.name,
      places: (opened.looked.get(source.id) ?? []).map((path) => probePlace(path, present)),
      files: present.size,
      bytes: refs.reduce((sum, ref) => sum + ref.size, 0),
      sessions: sessions.length,
      verdict:
        isMisread || problems.some((p) => isTrouble(p, refs.length > 0))
          ? "trouble"
          : refs.length === 0
            ? "empty"
            : "ok",
      drift,
      newer_versions: newerVersions(
        [source],
        Object.keys(drift.versions).map((version) => [source.id, version]),
      ).map(({ version }) => version),
      corrupt_lines: corrupt,
      unknown_records: sessions.reduce((sum, s) => sum + s.unknown, 0),
      history: { prompts: typed.length, without_transcript: lost },
      retention: {
        days,
        at_risk:
          days === null
            ? []
            : refs
                .map((ref) => ({ path: ref.path, days_left: Math.floor(days - (now - ref.mtimeMs) / DAY) }))
                .filter((risk) => risk.days_left <= SOON)
                .toSorted((a, b) => a.days_left - b.days_left || (a.path < b.path ? -1 : 1)),
      },
      only_in_book: orphans.map((session) => session.session_id),
      problems,
      unknowable: source.unknowable,
    };
  });
  return { schema_version: 1, sources, healthy: sources.every((s) => s.verdict !== "trouble") };
}

/** A missing root is no trouble if the agent is not installed; neither are files of another tool, nor duplicates. */
function isTrouble({ code }: Diagnostic, isPresent: boolean): boolean {
  if (code === "root_missing") return isPresent;
  return code !== "file_foreign" && code !== "file_duplicate";
}

function probePlace(path: string, present: ReadonlySet<string>): Probed {
  const root = resolve(path);
  const files = [...present]
    .map((file) => resolve(file))
    .filter((file) => file === root || file.startsWith(root + sep)).length;
  return { path, verdict: files > 0 ? "found" : existsSync(path) ? "empty" : "missing", files };
}
