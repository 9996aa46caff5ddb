import { closeSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { headerIn, HEADER_BYTES } from "../../record/header.ts";
import { readLog } from "../../record/reader.ts";
import { parseRecord } from "../../record/schema.ts";
import { SOURCES } from "../../agents/registry.ts";
import type { Drift, SourceRef } from "../../agents/contract.ts";
import { addDrift } from "./drift.ts";
import { readFile } from "./read-file.ts";
import { openFile } from "../../base/io/regular-file.ts";

export interface ValidationProblem {
  line: number | null;
  message: string;
  hint: string | null;
}

export interface Validation {
  path: string;
  /** `log` for canonical logs, else the source that recognised the file; null if none did. */
  format: string | null;
  records: number;
  valid: boolean;
  /** Lines that cannot be read or break the schema. */
  problems: ValidationProblem[];
  drift: Drift;
}

/** Checks a file against its format. Canonical logs are recognised by their first line, others by their source. */
export async function validateFile(path: string): Promise<Validation> {
  const full = resolve(path);
  const head = headOf(full);
  // A log whose header is damaged is known by how its lines begin.
  if (headerIn(head) !== null || /^\s*\{\s*"schema_version"\s*:\s*\d/.test(head)) return validateLog(full);
  const refs = recognise(full);
  if (refs.length === 0) {
    const problem = {
      line: null,
      message: "no source recognises this file",
      hint: `known: ${SOURCES.map((s) => s.id).join(", ")}`,
    };
    return { path: full, format: null, records: 0, valid: false, problems: [problem], drift: addDrift([]) };
  }
  const out = { path: full, format: refs[0]?.source ?? null, records: 0, valid: true };
  const problems: ValidationProblem[] = [];
  const drifts: Drift[] = [];
  for (const ref of refs) {
    // In a database, lines are counted within their session.
    const where = refs.length === 1 ? "" : `session ${ref.key ?? ""}: `;
    try {
      const draft = readFile(ref, { detail: "full", ledger: false, toolDetail: false });
      out.records += draft.records.records_read;
      out.valid &&= draft.records.corrupt === 0;
      drifts.push(draft.drift);
      for (const d of draft.diagnostics)
        problems.push({ line: d.line ?? null, message: where + d.message, hint: d.hint ?? null });
    } catch (error) {
      if (refs.length === 1 || !(error instanceof DaybookError)) throw error;
      out.valid = false;
      problems.push({ line: null, message: where + error.message, hint: error.hint ?? null });
    }
  }
  return { ...out, problems, drift: addDrift(drifts) };
}

/**
 * The sessions that the source which recognises this file finds in it: one, or all of a database. Discovery reports a
 * foreign file instead of returning it.
 */
function recognise(path: string): SourceRef[] {
  for (const source of SOURCES) {
    let foreign = false;
    const ctx = { env: {}, home: "", roots: [path], report: () => void (foreign = true) };
    const refs = [...source.discover(ctx)];
    const ref = refs[0];
    if (ref && !foreign && source.recognises(ref)) return refs;
  }
  return [];
}

function validateLog(path: string): Validation {
  const versions: Record<string, number> = {};
  const unknownFields: Record<string, number> = {};
  let records = 0;
  const log = readLog(path, { check: parseRecord });
  for (const record of log) {
    records++;
    const version = `schema ${record.schema_version}`;
    versions[version] = (versions[version] ?? 0) + 1;
    const checked = parseRecord(record);
    if (!checked.ok) continue;
    for (const { field } of checked.notes)
      unknownFields[`${record.type} · ${field}`] = (unknownFields[`${record.type} · ${field}`] ?? 0) + 1;
  }
  const problems = log.diagnostics.map((d) => ({ line: d.line, message: d.message, hint: null }));
  return {
    path,
    format: "log",
    records,
    valid: problems.length === 0,
    problems,
    drift: { versions, unknownTypes: {}, unknownFields },
  };
}

function headOf(path: string): string {
  try {
    if (!statSync(path).isFile()) throw new Error("not a file");
    const fd = openFile(path);
    try {
      const buffer = Buffer.alloc(HEADER_BYTES);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw new DaybookError(`cannot read ${path}`, {
      code: "not_found",
      op: "validate",
      path,
      hint: "give the path of a session file",
      cause,
    });
  }
}
