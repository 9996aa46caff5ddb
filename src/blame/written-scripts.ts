import { basename } from "node:path";
import { commandText } from "../shell/commands.ts";
import { operands } from "../shell/options.ts";
import { programsOf } from "../shell/ran.ts";
import { resolvePath } from "../shell/working-place.ts";
import { sessionKey } from "../turns/session.ts";
import { byProgram, editsByTool, placed, placeOf, type PlacedCall } from "./placed-call.ts";
import type { BlameEdit } from "./model.ts";
import { INTERPRETERS } from "./programs.ts";

const SCRIPT = /\.(?:py|[cm]?[jt]s|rb|pl|php)$/;

/** Scripts that a session wrote into files of their own, and ran by their names: what they do is what they hold. */
export class WrittenScripts {
  /** By session and path, as they were written last. */
  readonly #texts = new Map<string, string>();

  constructor(calls: readonly PlacedCall[]) {
    for (const call of calls)
      if (call.view.status === "ok")
        for (const { path, content } of scriptsIn(call)) this.#texts.set(`${sessionKey(call.view)} ${path}`, content);
  }

  /** What scripts that a call runs may have done. */
  editsBy(call: PlacedCall): BlameEdit[] {
    const command =
      this.#texts.size === 0 || call.view.status !== "ok" ? "" : commandText(call.view.name ?? "", call.view.input);
    if (command === "") return [];
    const place = placeOf(call);
    return programsOf(command, place, true).flatMap((ran) => {
      const [script] = INTERPRETERS.test(ran.program) ? operands(ran.args) : [];
      const path = script === undefined ? null : resolvePath(script, ran.cwd, { roots: place.roots, cwd: ran.cwd });
      const text = path === null ? undefined : this.#texts.get(`${sessionKey(call.view)} ${path}`);
      if (text === undefined) return [];
      return byProgram({ ...ran, args: [], fed: text }, place.roots).flatMap((edit) => placed(edit, call.here));
    });
  }
}

/** Also outside of what is asked about: scripts lie anywhere. */
function scriptsIn(call: PlacedCall): Script[] {
  const known = found.get(call);
  if (known) return known;
  const command = commandText(call.view.name ?? "", call.view.input);
  const place = placeOf(call);
  const edits = WRITES_SCRIPT.test(command)
    ? programsOf(command, place, true).flatMap((ran) => byProgram(ran, place.roots))
    : editsByTool(call);
  const scripts = edits.flatMap((edit) => (edit.kind === "write" && SCRIPT.test(edit.path) ? [edit] : []));
  found.set(call, scripts);
  return scripts;
}

type Script = Extract<BlameEdit, { kind: "write" }>;

/** Of a revision every file asks the same calls. */
const found = new WeakMap<PlacedCall, Script[]>();
const WRITES_SCRIPT = />\s*["']?[\w./~$-]+\.(?:py|[cm]?[jt]s|rb|pl|php)\b/;

/** Names of scripts that calls wrote and that speak of one of these files: whoever runs them need not name it. */
export function scriptsNaming(calls: readonly PlacedCall[], words: readonly string[]): string[] {
  const naming = calls
    .flatMap(scriptsIn)
    .filter(({ content }) => words.some((word) => content.includes(word)))
    .map(({ path }) => basename(path));
  return [...new Set(naming)].slice(0, MOST);
}

const MOST = 10;
