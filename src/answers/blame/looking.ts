import { fieldsOf } from "../../base/io/json.ts";
import { commandText, PATHS, textIn } from "../../base/shell/commands.ts";
import { commandOutput } from "../../base/shell/command-output.ts";
import { operands } from "../../base/shell/options.ts";
import { programsOf, type ProgramRun } from "../../base/shell/program-runs.ts";
import { resolvePath } from "../../base/shell/working-place.ts";
import { editsOf } from "../../agents/traits.ts";
import { toEvent } from "./calls.ts";
import { workingPlaceOf, type PlacedCall } from "./placed-call.ts";
import type { EditEvent } from "./model.ts";

/** A call with its output. */
export interface PrintedCall {
  call: PlacedCall;
  output: string;
}

/** A commit that a call made, according to its command. */
export interface MadeCommit {
  subject: string;
  /** When the call ended. */
  time: number;
  source: string;
  session_id: string;
  turn_ref: string | null;
}

/** What calls show of files without changing them: their content, or that they were not there. */
export function looksAt(calls: readonly PrintedCall[], paths: ReadonlySet<string>): EditEvent[] {
  return calls.flatMap(({ call, output }) => {
    const found = call.view.status === "ok" && output.length < LONGEST ? looksOfCall(call, output, paths) : [];
    return found.map((edit) => toEvent(call.view, edit, LAST));
  });
}

/** Longer outputs may be incomplete and are ignored. */
const LONGEST = 200_000;
/** Offset in ms: after all edits of the same call. */
const LAST = 0.5;

function looksOfCall(call: PlacedCall, output: string, paths: ReadonlySet<string>): EditEvent["edit"][] {
  const { input } = call.view;
  const name = call.view.name ?? "";
  const place = workingPlaceOf(call);
  const here: Here = (path, cwd) => {
    const whole = resolvePath(path, cwd, { roots: place.roots, cwd });
    return whole === null ? null : call.here(whole);
  };
  const command = commandText(name, input);
  if (command === "") {
    const path = textIn(fieldsOf(input), PATHS);
    const at = path === null || editsOf(name, input).length > 0 ? null : here(path, place.cwd);
    return at !== null && paths.has(at) ? [{ kind: "shown", path: at, text: output, isAlone: true }] : [];
  }
  const ran = programsOf(command, place, true);
  const gone = [...paths].filter((path) => ran.some((one) => isListing(one, path, here)) && !isIn(output, path));
  const files = new Set(ran.flatMap((one) => printedFiles(one).map((path) => here(path, one.cwd))));
  const shown = [...files].filter((path) => path !== null && paths.has(path));
  return [
    ...gone.map((path) => ({ kind: "absent" as const, path })),
    // With several files it is unknown which lines belong to which.
    ...shown.map((path) => ({
      kind: "shown" as const,
      path: path ?? "",
      text: asPrinted(output),
      isAlone: files.size === 1,
    })),
  ];
}

/** The output may be wrapped or begin after a word, which would hide its first line: all forms are searched. */
function asPrinted(output: string): string {
  return [output, output.replace(/^Output: ?/m, ""), commandOutput(output)].join("\n");
}

/** Whether `ls` lists the directory of a file. */
function isListing({ program, args, cwd, downstream }: ProgramRun, path: string, here: Here): boolean {
  const [dir = ".", more] = operands(args);
  const parent = path.slice(0, path.lastIndexOf("/"));
  return program === "ls" && more === undefined && downstream.length === 0 && here(dir, cwd) === parent;
}

function isIn(output: string, path: string): boolean {
  return output.includes(path.slice(path.lastIndexOf("/") + 1));
}

type Here = (path: string, cwd: string | null) => string | null;

const PRINTERS: Readonly<Record<string, RegExp>> = {
  cat: /^$/,
  bat: /^$/,
  nl: /^-[bnsw]$/,
  head: /^-[nc]$/,
  tail: /^-[nc]$/,
  jq: /^--(?:arg|indent)$/,
};

/** The files whose text a program prints, as far as its arguments tell. */
function printedFiles({ program, args, printsTo, downstream, hereText: fed }: ProgramRun): string[] {
  // Other programs in the pipe may print lines next to each other that are not adjacent in the file.
  if (printsTo.length > 0 || downstream.some((one) => !/^(?:cat|head|tail|nl|less)$/.test(one.program))) return [];
  if (program === "tee") return operands(args);
  if (fed !== "") return [];
  const values = PRINTERS[program];
  if (values) return operands(args, values).slice(program === "jq" ? 1 : 0);
  // `sed -n 1,20p FILE`.
  if (program === "sed" && args.includes("-n")) return operands(args).slice(1);
  if (program !== "git") return [];
  const [verb, ...words] = operands(args, /^(?:-[CcU]|--unified)$/);
  return verb === "diff" ? (words.length > 0 ? words : ["."]) : [];
}

/** Commits that these calls made with a message in their command. */
export function commitsMade(calls: readonly PrintedCall[]): MadeCommit[] {
  return calls.flatMap(({ call }) => {
    const { name, input, status, source, session_id, turn_ref } = call.view;
    if (status !== "ok") return [];
    const { time } = toEvent(call.view, { kind: "delete", path: "" }, 0);
    return programsOf(commandText(name ?? "", input), workingPlaceOf(call), true).flatMap((ran) => {
      const subject = ran.program === "git" && ran.args[0] === "commit" ? subjectOf(ran.args) : null;
      return subject === null ? [] : [{ subject, time, source, session_id, turn_ref }];
    });
  });
}

function subjectOf(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => /^-[a-zA-Z]*m$|^--message$/.test(arg));
  const text = at === -1 ? args.find((arg) => arg.startsWith("--message="))?.slice("--message=".length) : args[at + 1];
  return text?.split("\n")[0]?.trim() ?? null;
}
