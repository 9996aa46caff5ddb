import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redact/redact.ts";
import { manifestFor } from "./inspect.ts";
import { noWorkspace } from "./load.ts";
import { isInside } from "./own.ts";
import { examineFolder, readJson } from "./reuse.ts";
import { formatInstant, type Metadata } from "./window.ts";
import { jsonText } from "./write.ts";
import { ZipWriter } from "./zip.ts";
import { moveOver } from "../../base/io/move-over.ts";

export interface CollectRequest {
  mode: "date-root" | "workspace";
  workspace: string;
  /** The private manifest to include; null when only the workspace was named. */
  manifest: string | null;
  home: string | null;
  output: string;
  includeRaw: boolean;
  /** Hides secrets in everything but raw sessions. */
  redactor: Redactor;
  now: number;
  tool: { name: string; version: string };
}

export interface CollectionManifest {
  schema_version: 1;
  collected_at: string;
  tool: { name: string; version: string };
  target: {
    mode: "date-root" | "workspace";
    workspace_path: string;
    workspace_archive_root: string;
    report_date: string | null;
    timezone: string | null;
    status: string | null;
    reports_root?: string;
    audit_manifest_path?: string;
  };
  include_raw_sessions: boolean;
  included_paths: string[];
  excluded_paths: string[];
  generated_paths: string[];
  file_checksums_sha256: Record<string, string>;
}

export interface CollectResult {
  output: string;
  manifest: CollectionManifest;
}

const LIST = "collection.manifest.json";
const NOTES = "private/audit.manifest.json";

/**
 * Puts a workspace into one zip file, to be examined elsewhere. Raw sessions are left out unless they are requested.
 */
export async function collectWorkspace(request: CollectRequest): Promise<CollectResult> {
  const { workspace, includeRaw } = request;
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) throw noWorkspace(workspace);
  const output = resolve(request.output);
  assertOutput(output, workspace);
  const metadata = metadataOf(workspace);
  const root = `work/${metadata?.report_date ?? basename(workspace)}`;
  const found = filesIn(workspace);
  const wanted = found.files.filter((path) => includeRaw || !isRaw(path));
  const left = [...found.files.filter((path) => !wanted.includes(path)), ...found.odd];
  const notes =
    request.manifest !== null && metadata && manifestFor(request.manifest, metadata) ? request.manifest : null;
  const manifest: CollectionManifest = {
    schema_version: 1,
    collected_at: formatInstant(request.now),
    tool: request.tool,
    target: {
      mode: request.mode,
      workspace_path: workspace,
      workspace_archive_root: root,
      report_date: metadata?.report_date ?? null,
      timezone: metadata?.timezone ?? null,
      status: metadata?.status ?? null,
      ...(request.home === null ? {} : { reports_root: request.home }),
      ...(notes === null ? {} : { audit_manifest_path: notes }),
    },
    include_raw_sessions: includeRaw,
    included_paths: [...wanted.map((path) => `${root}/${path}`), ...(notes === null ? [] : [NOTES])],
    excluded_paths: left.map((path) => `${root}/${path}`).toSorted(),
    generated_paths: [LIST],
    file_checksums_sha256: {},
  };
  await writeZip(output, request.now, async (zip) => {
    for (const path of wanted)
      manifest.file_checksums_sha256[`${root}/${path}`] = await zip.add(
        `${root}/${path}`,
        isRaw(path) ? { path: join(workspace, path) } : packed(join(workspace, path), request.redactor),
      );
    if (notes !== null) manifest.file_checksums_sha256[NOTES] = await zip.add(NOTES, packed(notes, request.redactor));
    await zip.add(LIST, { text: jsonText(request.redactor.all(manifest)) });
  });
  return { output, manifest };
}

/** The file itself, or its text without secrets. JSON is redacted by its values: the names of fields tell what they are. */
function packed(path: string, redactor: Redactor): { path: string } | { text: string } {
  const text = readFileSync(path, "utf8");
  const hidden = path.endsWith(".jsonl")
    ? text
        .split("\n")
        .map((line) => hiddenIn(line, redactor))
        .join("\n")
    : hiddenIn(text, redactor);
  return hidden === text ? { path } : { text: hidden };
}

function hiddenIn(text: string, redactor: Redactor): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redactor.text(text);
  }
  const hidden = redactor.all(value);
  if (hidden === value) return text;
  return text.includes("\n") ? jsonText(hidden) : JSON.stringify(hidden);
}

async function writeZip(output: string, now: number, fill: (zip: ZipWriter) => Promise<void>): Promise<void> {
  mkdirSync(dirname(output), { recursive: true, mode: 0o700 });
  const fresh = `${output}.${process.pid}.new`;
  rmSync(fresh, { force: true });
  const zip = new ZipWriter(fresh, now);
  try {
    try {
      await fill(zip);
      zip.finish();
    } finally {
      zip.close();
    }
    moveOver(fresh, output);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function assertOutput(output: string, workspace: string): void {
  const refuse = (why: string): DaybookError =>
    new DaybookError(`${output} ${why}`, { code: "usage", op: "collect workspace", path: output });
  if (isInside(output, workspace)) throw refuse("is inside the workspace; the collection must lie outside of it");
  const stat = statSync(output, { throwIfNoEntry: false });
  // An earlier collection may be replaced; any other file belongs to somebody.
  if (stat && (!stat.isFile() || !isZip(output))) throw refuse("exists and is no zip file");
}

function isZip(path: string): boolean {
  const head = Buffer.alloc(2);
  const fd = openSync(path, "r");
  try {
    return readSync(fd, head, 0, 2, 0) === 2 && head.toString("latin1") === "PK";
  } finally {
    closeSync(fd);
  }
}

/** Whatever of the metadata can be read: a broken workspace is the one most worth sending. */
function metadataOf(workspace: string): Metadata | null {
  const found = examineFolder(workspace);
  if (found.kind === "workspace") return found.metadata;
  const value = readJson(join(workspace, "metadata.json")) as Partial<Metadata> | null | undefined;
  return typeof value?.report_date === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value.report_date)
    ? (value as Metadata)
    : null;
}

/** `projects/<key>/sessions/…`: the texts of people and agents as they were written. */
function isRaw(path: string): boolean {
  const parts = path.split("/");
  return parts[0] === "projects" && parts[2] === "sessions";
}

/** Regular files with `/` as separator, sorted. Links are not followed: they could lead anywhere. */
function filesIn(root: string): { files: string[]; odd: string[] } {
  const files: string[] = [];
  const odd: string[] = [];
  const walk = (under: string): void => {
    for (const entry of readdirSync(join(root, under), { withFileTypes: true })) {
      const path = under === "" ? entry.name : `${under}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else (entry.isFile() ? files : odd).push(path);
    }
  };
  walk("");
  return { files: files.toSorted(), odd };
}
