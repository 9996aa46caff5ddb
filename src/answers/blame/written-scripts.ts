import { basename } from "node:path";
import { commandText } from "../../base/shell/commands.ts";
import { operands } from "../../base/shell/options.ts";
import { programsOf } from "../../base/shell/program-runs.ts";
import { resolvePath } from "../../base/shell/working-place.ts";
import { programEdits, toolEdits, resolveEdit, workingPlaceOf, type PlacedCall } from "./placed-call.ts";
import type { BlameEdit } from "./model.ts";
import { INTERPRETERS } from "./programs.ts";
import { sessionKey } from "../../record/session-key.ts";

const SCRIPT = /\.(?:py|[cm]?[jt]s|rb|pl|php)$/;

/** Scripts that a session wrote to files and ran by name: their content shows what they do. */
export class WrittenScripts {
  /** Texts by session and path, as last written. */
  readonly #texts = new Map<string, string>();

  constructor(calls: readonly PlacedCall[]) {
    for (const call of calls)
      if (call.view.status === "ok")
        for (const { path, content } of scriptsIn(call)) this.#texts.set(`${sessionKey(call.view)} ${path}`, content);
  }

  /** Edits that the scripts run by a call may have made. */
  editsBy(call: PlacedCall): BlameEdit[] {
    const command =
      this.#texts.size === 0 || call.view.status !== "ok" ? "" : commandText(call.view.name ?? "", call.view.input);
    if (command === "") return [];
    const place = workingPlaceOf(call);
    return programsOf(command, place, true).flatMap((ran) => {
      const [script] = INTERPRETERS.test(ran.program) ? operands(ran.args) : [];
      const path = script === undefined ? null : resolvePath(script, ran.cwd, { roots: place.roots, cwd: ran.cwd });
      const text = path === null ? undefined : this.#texts.get(`${sessionKey(call.view)} ${path}`);
      if (text === undefined) return [];
      return programEdits({ ...ran, args: [], hereText: text }, place.roots).flatMap((edit) =>
        resolveEdit(edit, call.here),
      );
    });
  }
}

/** The scripts that a call wrote, also outside of the files asked about. */
function scriptsIn(call: PlacedCall): Script[] {
  const known = scriptCache.get(call);
  if (known) return known;
  const command = commandText(call.view.name ?? "", call.view.input);
  const place = workingPlaceOf(call);
  const edits = WRITES_SCRIPT.test(command)
    ? programsOf(command, place, true).flatMap((ran) => programEdits(ran, place.roots))
    : toolEdits(call);
  const scripts = edits.flatMap((edit) => (edit.kind === "write" && SCRIPT.test(edit.path) ? [edit] : []));
  scriptCache.set(call, scripts);
  return scripts;
}

type Script = Extract<BlameEdit, { kind: "write" }>;

/** Cache: the blame of a whole revision reads the same calls for every file. */
const scriptCache = new WeakMap<PlacedCall, Script[]>();
const WRITES_SCRIPT = />\s*["']?[\w./~$-]+\.(?:py|[cm]?[jt]s|rb|pl|php)\b/;

/** Names of written scripts that mention one of these files: a call that runs them need not name the file. */
export function scriptsNaming(calls: readonly PlacedCall[], words: readonly string[]): string[] {
  const naming = calls
    .flatMap(scriptsIn)
    .filter(({ content }) => words.some((word) => content.includes(word)))
    .map(({ path }) => basename(path));
  return [...new Set(naming)].slice(0, MAX_SCRIPTS);
}

const MAX_SCRIPTS = 10;
