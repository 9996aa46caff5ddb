import type { ToolView } from "../answers/tool-view.ts";
import { commandText, fieldsOf, textIn } from "../shell/commands.ts";
import { operands } from "../shell/options.ts";
import { programsOf, type Ran } from "../shell/ran.ts";
import { resolvePath, UNKNOWN } from "../shell/working-place.ts";
import type { FileEdit } from "../sources/contract.ts";
import { editsOf } from "../sources/traits.ts";
import type { EditEvent } from "./model.ts";

/** A call that ended well, and where it ran. */
export interface PlacedCall {
  view: ToolView;
  cwd: string | null;
  /** Where a path of then is now; null when it is none of the files that are asked about. */
  here: (path: string) => string | null;
}

/** What calls did to files, in order of time, with whole paths. What a script ran is told by the script, where it tells. */
export function editEvents(calls: readonly PlacedCall[]): EditEvent[] {
  const found = new Map(
    calls.map((call) => [nameOf(call.view), editsIn(call).flatMap((edit) => placed(edit, call.here))]),
  );
  const events = calls.flatMap(({ view }) => {
    const outer =
      view.parent_call_id === null ? undefined : found.get(`${view.source}/${view.session_id}/${view.parent_call_id}`);
    if (outer && outer.length > 0) return [];
    return (found.get(nameOf(view)) ?? []).map((edit) => eventOf(view, edit));
  });
  return events.toSorted((a, b) => a.time - b.time);
}

function nameOf({ source, session_id, call_id }: ToolView): string {
  return `${source}/${session_id}/${call_id}`;
}

function eventOf(
  { source, session_id, session_path, call_id, started_at, duration_ms, start_line, turn_ref }: ToolView,
  edit: FileEdit,
): EditEvent {
  const time = started_at === null ? 0 : Date.parse(started_at) + (duration_ms ?? 0);
  return { edit, time, source, session_id, session_path, call_id, line: start_line, turn_ref };
}

function editsIn({ view, cwd }: PlacedCall): FileEdit[] {
  const { name, input } = view;
  const given = textIn(fieldsOf(input), ["workdir", "cwd"]);
  const place = {
    roots: cwd === null ? [] : [cwd],
    cwd: given === null ? cwd : resolvePath(given, cwd, { roots: [], cwd }),
  };
  const edits = editsOf(name, input).flatMap((edit) => placed(edit, (path) => resolvePath(path, place.cwd, place)));
  if (edits.length > 0) return edits;
  const command = commandText(name, input);
  return command === "" ? [] : programsOf(command, place).flatMap((ran) => byProgram(ran, command, place.roots));
}

/** Without those whose place nobody knows. */
function placed(edit: FileEdit, whole: (path: string) => string | null): FileEdit[] {
  const path = whole(edit.path);
  if (path === null) return [];
  if (edit.kind === "patch") return [{ ...edit, path, to: edit.to === null ? null : whole(edit.to) }];
  if (edit.kind !== "move") return [{ ...edit, path }];
  const to = whole(edit.to);
  return to === null ? [] : [{ ...edit, path, to }];
}

/** Options of `git` itself that take a word. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree)$/;

/** Programs of which the text tells all they did: what fits the file later was done so. */
function byProgram(ran: Ran, command: string, roots: readonly string[]): FileEdit[] {
  const whole = (path: string): string | null =>
    path.includes(UNKNOWN) ? null : resolvePath(path, ran.cwd, { roots, cwd: ran.cwd });
  return done(ran, command).flatMap((edit) => placed(edit, whole));
}

function done(ran: Ran, command: string): FileEdit[] {
  switch (ran.program) {
    case "mv":
      return moves(operands(ran.args, /^-[tS]$/));
    case "git": {
      const [verb, ...words] = operands(ran.args, GIT_VALUES);
      return verb === "mv" && !ran.args.includes("-C") ? moves(words) : [];
    }
    case "rm":
      return operands(ran.args).map((path) => ({ kind: "delete", path }));
    case "sed":
      return substitutions(ran.args);
    case "cat":
    case "tee":
      return written(ran, command);
    default:
      return [];
  }
}

/** `s/old/new/` with words that mean themselves. Dots mean more, but stand for themselves where the file is found to hold the result. */
const SUBSTITUTION = /^s([/|#,])((?:(?!\1)[^\\*[\]^$&\n])+)\1((?:(?!\1)[^\\&\n])*)\1g?$/;

function substitutions(args: readonly string[]): FileEdit[] {
  if (!args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg))) return [];
  const words = args.filter((arg) => !arg.startsWith("-") && arg !== "");
  const scripts = words.filter((word) => SUBSTITUTION.test(word));
  return words
    .filter((word) => !scripts.includes(word))
    .flatMap((path) =>
      scripts.map((script): FileEdit => {
        const [, , before = "", after = ""] = SUBSTITUTION.exec(script) ?? [];
        return { kind: "replace", path, before, after, all: true };
      }),
    );
}

function moves(words: readonly string[]): FileEdit[] {
  const to = words.at(-1);
  return words.length < 2 || to === undefined ? [] : words.slice(0, -1).map((path) => ({ kind: "move", path, to }));
}

/** What a file got from a here-document, whole or at its end; nothing where the shell put something in. */
function written({ program, args, redirects, fed, upstream, downstream }: Ran, command: string): FileEdit[] {
  if (fed === "" || fed.includes(UNKNOWN) || upstream.length > 0 || downstream.length > 0) return [];
  const files = program === "tee" ? args.filter((arg) => !arg.startsWith("-")) : redirects;
  const [path] = files;
  const isPlain = program === "tee" || args.every((arg) => arg === "-");
  if (!isPlain || path === undefined || files.length > 1) return [];
  const text = `${fed.replace(/\n$/, "")}\n`;
  const adds = program === "tee" ? args.some((arg) => /^-a|^--append/.test(arg)) : command.includes(">>");
  // One command may write one file and add to another; then nobody knows which is which.
  if (adds && / >(?!>|&)/.test(command)) return [];
  return [adds ? { kind: "insert", path, line: Infinity, text } : { kind: "write", path, content: text }];
}
