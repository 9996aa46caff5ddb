import { inside } from "../../answers/daybook.ts";
import type { SessionRef } from "../../record/record.ts";
import type { Io } from "./io.ts";
import type { CommonFlags, OpenedDaybook } from "./options.ts";
import { plain, plural } from "./text.ts";

/**
 * Warns on stderr of sessions in an answer whose file has no header: their project, and who drove them, is not known,
 * and whoever collects decisions or sessions by project would file them under the wrong one.
 */
export async function warnHeaderless(
  io: Io,
  { daybook, hide }: OpenedDaybook,
  { quiet }: CommonFlags,
  sessions: Iterable<SessionRef>,
): Promise<void> {
  if (quiet === true) return;
  const files = (await inside(daybook).problemsOf(sessions)).filter(({ code }) => code === "header_missing");
  const [first] = files;
  if (!first) return;
  const others = files.length === 1 ? "" : ` and ${plural(files.length - 1, "more file")}`;
  io.err(
    `daybook: no header: ${plain(hide(first.path))}${others}: the project is not known, nor who drove it; see daybook doctor\n`,
  );
}
