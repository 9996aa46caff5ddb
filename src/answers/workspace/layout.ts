import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Session, Turn } from "../../turns/session.ts";
import type { ChildFile } from "./children.ts";
import type { SelectedFile } from "./select.ts";
import { orderLists } from "../../base/text/order.ts";

/** A session file and its target path in the project's folder. */
export interface PlannedCopy {
  session: Session;
  part: FileDraft;
  /** Relative to the project's folder, with `/`. */
  to: string;
}

export interface PlannedRequest {
  ref: string;
  turn: Turn;
  children: { child: ChildFile; file: string }[];
}

export interface PlannedRow {
  ref: string;
  file: SelectedFile;
  copy: PlannedCopy;
  /** Empty when no child was copied. */
  subagentPath: string;
  turns: PlannedRequest[];
}

export interface PlannedProject {
  key: string;
  label: string;
  rows: PlannedRow[];
  /** Every file once, however many turns list it. */
  copies: PlannedCopy[];
}

/**
 * Decides every name before anything is written. The same input gives the same names, in whatever order it was read.
 */
export function planLayout(
  files: readonly SelectedFile[],
  childrenOf: (file: SelectedFile) => ChildFile[][],
): PlannedProject[] {
  const keys = [...new Set(files.map((file) => file.project.project_key))].toSorted();
  return keys.map((key) => {
    const own = files.filter((file) => file.project.project_key === key);
    return planProject(key, own, childrenOf);
  });
}

function planProject(
  key: string,
  files: readonly SelectedFile[],
  childrenOf: (file: SelectedFile) => ChildFile[][],
): PlannedProject {
  const places = new TakenPaths();
  const placed = files
    .map((file) => ({ file, to: `sessions/${safeName(file.session.source)}/${nativeName(file)}` }))
    .toSorted((a, b) => orderLists(refKey(a), refKey(b)));
  const rows = placed.map(({ file, to }, i): PlannedRow => {
    const copy = places.take({ session: file.session, part: file.part, to });
    const folder = `sessions/${safeName(file.session.source)}/subagents/${safeName(file.session.session_id)}`;
    const turns = childrenOf(file).map((children, n): PlannedRequest => ({
      ref: refOf("T", n),
      turn: file.turns[n] as Turn,
      children: children.map((child) => {
        const name = nativeName(child).replaceAll("/", "_");
        places.take({ session: child.session, part: child.part, to: `${folder}/${name}` });
        return { child, file: name };
      }),
    }));
    const subagentPath = turns.some((turn) => turn.children.length > 0) ? folder : "";
    return { ref: refOf("S", i), file, copy, subagentPath, turns };
  });
  return { key, label: files[0]?.project.project ?? key, rows, copies: places.copies };
}

function refKey({ file, to }: { file: SelectedFile; to: string }): string[] {
  return [file.session.source, file.session.session_id, to];
}

function refOf(letter: string, index: number): string {
  return letter + String(index + 1).padStart(4, "0");
}

/** Refuses two files with the same target path: the second would hide the first. */
class TakenPaths {
  readonly copies: PlannedCopy[] = [];
  readonly #taken = new Map<string, PlannedCopy>();

  take(copy: PlannedCopy): PlannedCopy {
    const known = this.#taken.get(copy.to);
    if (known && known.part === copy.part) return known;
    if (known) {
      throw new DaybookError(
        `Session filename collision: ${known.part.path} and ${copy.part.path} are both ${copy.to}`,
        {
          code: "invalid",
          op: "lay out workspace",
          path: copy.part.path,
          hint: "rename one of them, or read their roots one at a time; nothing was changed",
        },
      );
    }
    this.#taken.set(copy.to, copy);
    this.copies.push(copy);
    return copy;
  }
}

/**
 * True when the file is copied as it is. A session in a shared store, in a single document or in a file that is gone
 * can only be written as a log.
 */
export function isCopiedVerbatim(part: FileDraft): boolean {
  return part.gone === null && isFile(part);
}

/** The session has a file with lines to itself. */
function isFile({ ref: { container, key } }: FileDraft): boolean {
  return key === undefined && (container === "jsonl" || container === "jsonl.zst" || container === "text");
}

/**
 * The file's own name. Where all files of a source have the same name, the folder that names the session is kept too.
 */
function nativeName({ session, part }: { session: Session; part: FileDraft }): string {
  if (!isFile(part)) return `${safeName(session.session_id)}.daybook.jsonl`;
  // Compressed files are stored uncompressed: a line number must lead to a line.
  const plain = basename(part.path).replace(/\.zst$/, "");
  const name = safeName(
    part.gone === null ? plain : `${plain.replace(/\.jsonl$/, "")}${generationName(session, part)}`,
  );
  const above = basename(dirname(part.path));
  return above === session.session_id && !name.includes(session.session_id) ? `${safeName(above)}/${name}` : name;
}

/** Each earlier version of a file that was rewritten gets a name of its own beside the current one. */
function generationName({ parts }: Session, part: FileDraft): string {
  const generations = parts.filter((other) => other.path === part.path && other.gone !== null);
  const place = generations.indexOf(part);
  return `${place > 0 ? `-${place + 1}` : ""}.daybook.jsonl`;
}

const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const LONGEST = 200;

/**
 * Names come from session files and their paths: they must not leave the folder, hide the file or be invalid on another
 * file system.
 */
export function safeName(name: string): string {
  const plain = name
    .replace(/[\p{C}<>:"/\\|?*]/gu, "_")
    .replace(/^\.+/, "_")
    .replace(/[. ]+$/, "_");
  const usable = plain === "" || RESERVED.test(plain) ? `_${plain}` : plain;
  if (Buffer.byteLength(usable) <= LONGEST) return usable;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${usable.slice(0, 40)}-${hash}${/\.jsonl$/.exec(usable)?.[0] ?? ""}`;
}
