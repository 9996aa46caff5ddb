import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { DaybookError } from "../errors.ts";
import { writeChange, type ConfigChange } from "../io/config-change.ts";
import { Redactor } from "../redact/redact.ts";
import type { Io } from "./io.ts";
import { plain } from "./text.ts";

/** Shows what would become of the file, and makes it so when somebody says yes. */
export async function confirmChange(
  io: Io,
  { path, before, after }: ConfigChange,
  isConfirmedAlready: boolean | undefined,
): Promise<void> {
  if (before === after) {
    io.out(`Nothing to change in ${plain(path)}.\n`);
    return;
  }
  const [from, to] = [before === null ? "nothing" : path, after === null ? "nothing" : path];
  const shown = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 2 });
  // Other servers' keys stand in the same file.
  io.out(plain(new Redactor().text(shown.replace(/^(?:Index: .*\n)?=+\n/, ""))));
  if (isConfirmedAlready !== true && !(await isConfirmed(io, path))) return;
  writeChange({ path, before, after });
  io.out(`Written: ${plain(path)}\n`);
}

/** Nobody who cannot be asked has said yes. */
async function isConfirmed(io: Io, path: string): Promise<boolean> {
  if (!io.ask || io.inIsTerminal !== true || !io.errIsTerminal)
    throw new DaybookError("nothing was written: there is nobody to ask", {
      ...{ code: "usage", op: "install", hint: "give --yes to write it" },
    });
  const answer = await io.ask(`Write ${plain(path)}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

/** By its name where that leads here, so that the entry survives an update; else by its place. */
export function programOf(io: Io): string[] {
  const script = placeOf(process.argv[1] ?? "");
  const dirs = (io.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  const isNamed = script !== null && dirs.some((dir) => placeOf(join(dir, "daybook")) === script);
  return isNamed ? ["daybook"] : [process.execPath, script ?? "daybook"];
}

function placeOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
