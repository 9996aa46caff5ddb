import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { DaybookError } from "../../base/errors.ts";
import { writeChange, type ConfigChange } from "../../base/io/config-change.ts";
import { Redactor } from "../../base/redact/redact.ts";
import type { Io } from "./io.ts";
import { plain } from "../../base/text/inert.ts";

/** Shows the change to the file, and writes it once it is confirmed. */
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
  // The same file may contain the keys of other servers: redact them.
  io.out(plain(new Redactor().text(shown.replace(/^(?:Index: .*\n)?=+\n/, ""))));
  if (isConfirmedAlready !== true && !(await isConfirmed(io, path))) return;
  writeChange({ path, before, after });
  io.out(`Written: ${plain(path)}\n`);
}

/** Without a terminal to ask on, the answer counts as no. */
async function isConfirmed(io: Io, path: string): Promise<boolean> {
  if (!io.ask || io.inIsTerminal !== true || !io.errIsTerminal)
    throw new DaybookError("nothing was written: there is no terminal to ask on", {
      code: "usage",
      op: "install",
      hint: "give --yes to write it",
    });
  const answer = await io.ask(`Write ${plain(path)}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

/** `daybook` if the PATH leads to this program, so that the entry survives an update; otherwise its full path. */
export function programOf(io: Io): string[] {
  const script = realPath(process.argv[1] ?? "");
  const dirs = (io.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  const isNamed = script !== null && dirs.some((dir) => realPath(join(dir, "daybook")) === script);
  return isNamed ? ["daybook"] : [process.execPath, script ?? "daybook"];
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
