import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../examples/narrator.mjs", import.meta.url));
const known = new Map<string, string>();

/** The answer of the bundled example writer, cached by prompt. */
export function honest(prompt: string): string {
  let answer = known.get(prompt);
  if (answer === undefined)
    known.set(prompt, (answer = execFileSync(process.execPath, [PROGRAM], { input: prompt, encoding: "utf8" })));
  return answer;
}
