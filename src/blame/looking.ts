import { commandText, fieldsOf, PATHS, textIn } from "../shell/commands.ts";
import { printed } from "../shell/printed.ts";
import { operands } from "../shell/options.ts";
import { programsOf, type Ran } from "../shell/ran.ts";
import { resolvePath } from "../shell/working-place.ts";
import { editsOf } from "../sources/traits.ts";
import { eventOf } from "./calls.ts";
import { placeOf, type PlacedCall } from "./placed-call.ts";
import type { EditEvent } from "./model.ts";

/** A call of a turn, and what it printed. */
export interface PrintedCall {
  call: PlacedCall;
  output: string;
}

/** A commit that a call made, as its words tell. */
export interface MadeCommit {
  subject: string;
  /** When the call was done. */
  time: number;
  source: string;
  session_id: string;
  turn_ref: string | null;
}

/** What calls say of a file without changing it: what it held, or that it was not there. */
export function looksAt(calls: readonly PrintedCall[], paths: ReadonlySet<string>): EditEvent[] {
  return calls.flatMap(({ call, output }) => {
    const found = call.view.status === "ok" && output.length < LONGEST ? looksOf(call, output, paths) : [];
    return found.map((edit) => eventOf(call.view, edit, LAST));
  });
}

/** What is longer is not all that was printed. */
const LONGEST = 200_000;
/** After all that the same call did. */
const LAST = 0.5;

function looksOf(call: PlacedCall, output: string, paths: ReadonlySet<string>): EditEvent["edit"][] {
  const { input } = call.view;
  const name = call.view.name ?? "";
  const place = placeOf(call);
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
    // Of several files nobody knows which lines are whose.
    ...shown.map((path) => ({
      kind: "shown" as const,
      path: path ?? "",
      text: asPrinted(output),
      isAlone: files.size === 1,
    })),
  ];
}

/** It may be wrapped, or begin behind a word; without that its first line is cut. */
function asPrinted(output: string): string {
  return [output, output.replace(/^Output: ?/m, ""), printed(output)].join("\n");
}

/** Whether `ls` lists the directory of a file. */
function isListing({ program, args, cwd, downstream }: Ran, path: string, here: Here): boolean {
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

/** The files whose text a program prints, as far as its words tell. */
function printedFiles({ program, args, printsTo, downstream, fed }: Ran): string[] {
  // What else is in the pipe may put lines side by side that are not.
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

/** Commits that these calls made and named. */
export function commitsMade(calls: readonly PrintedCall[]): MadeCommit[] {
  return calls.flatMap(({ call }) => {
    const { name, input, status, source, session_id, turn_ref } = call.view;
    if (status !== "ok") return [];
    const { time } = eventOf(call.view, { kind: "delete", path: "" }, 0);
    return programsOf(commandText(name ?? "", input), placeOf(call), true).flatMap((ran) => {
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
