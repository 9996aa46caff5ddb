import { programsOf } from "../../base/shell/program-runs.ts";
import type { EvidenceCall } from "../turn-evidence.ts";
import type { Scope } from "./scope.ts";

/** Programs that print their input or the content of files: their output proves nothing. */
const PRINTERS = new Set(
  "echo printf cat bat head tail less more sed awk grep rg ag ack find ls tree jq yq cut sort uniq wc diff git gh glab curl wget xargs tee".split(
    " ",
  ),
);

/** Signs that something failed, whatever else succeeded. */
const WRONG =
  /\b[1-9]\d*\s+(?:tests?\s+|checks?\s+)?(?:failed|failing|failures?|errors?|broken|red)\b|\bFAIL(?:ED|URE)?\b|\berror:|\b(?:red|broken) (?:in|on)\b/;

/**
 * The output of successful programs within the cited lines that do more than print texts. Tests, builds and linters are
 * excluded: only the last one of each kind counts. So are calls whose command contains `word` itself.
 */
export function* provingOutputs(scope: Scope, word: string): Generator<string, void, undefined> {
  const small = word.toLowerCase();
  for (const { lines, calls } of scope.parts())
    for (const call of calls) {
      if (!isFinding(call) || call.command.toLowerCase().includes(small)) continue;
      const text = lines.find(({ line, by }) => by === "tool" && line === call.end_line)?.text ?? "";
      if (!WRONG.test(text)) yield text;
    }
}

function isFinding({ status, exit_code, command, check }: EvidenceCall): boolean {
  if (check !== null || status !== "ok" || (exit_code ?? 0) !== 0 || command === "") return false;
  const programs = programsOf(command, { roots: [], cwd: null });
  return programs.length > 0 && programs.every(({ program }) => !PRINTERS.has(program));
}

/** Rows, files or records that a program says it changed: `214 rows changed`, `UPDATE 214`. */
const CHANGED =
  /\b[1-9][\d,]*\s+(?:rows?|records?|files?|entries|lines?|documents?|items?|keys?|objects?)\s+(?:were\s+)?(?:changed|updated|modified|inserted|deleted|removed|migrated|fixed|repaired|converted|written|affected)\b|^\s*(?:UPDATE|DELETE|INSERT 0) [1-9]\d*\s*$/im;

export function saysChanged(text: string): boolean {
  return CHANGED.test(text);
}
