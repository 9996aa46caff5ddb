import type { WatchEvent, WatchEventKind } from "./session-events.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import type { Io } from "./io.ts";
import { isOnPath, startDetached } from "./programs.ts";
import { oneLine } from "./text.ts";

const SAYS: Readonly<Record<WatchEventKind, string>> = {
  waiting: "waits for your answer",
  failed: "failed",
  finished: "finished",
};

/** Columns of a notification. */
const WIDTH = 120;

/** The text of a notification, safe to display: one line each. */
export function notice({ kind, project, request, text }: WatchEvent): { title: string; body: string } {
  const body = kind === "waiting" ? text : `${askedLine(request)}${text === "" ? "" : ` – ${askedLine(text)}`}`;
  return { title: oneLine(`${project} ${SAYS[kind]}`, WIDTH), body: oneLine(body, WIDTH) };
}

/** The command that shows a notification on this desktop; null if there is none. */
export function desktopCommand(
  platform: NodeJS.Platform,
  env: Io["env"],
  { title, body }: { title: string; body: string },
  isProgram?: (path: string) => boolean,
): string[] | null {
  if (platform === "darwin")
    return [
      "osascript",
      "-e",
      "on run argv",
      "-e",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "-e",
      "end run",
      title,
      body,
    ];
  const isKnown = isOnPath("notify-send", env, isProgram);
  // After `--`, because a title may look like a flag.
  return isKnown && platform !== "win32" ? ["notify-send", "--app-name=daybook", "--", title, body] : null;
}

/** The environment of the user's command. The shell does not parse any of it as part of the command. */
export function hookEnv(event: WatchEvent): Record<string, string> {
  const { title, body } = notice(event);
  return {
    DAYBOOK_EVENT: event.kind,
    DAYBOOK_SOURCE: event.source,
    DAYBOOK_SESSION: event.session_id,
    DAYBOOK_TURN: event.turn_ref,
    DAYBOOK_PROJECT: oneLine(event.project, WIDTH),
    DAYBOOK_TITLE: title,
    DAYBOOK_TEXT: body,
  };
}

/**
 * Runs the user's command, or rings the bell and shows a notification if this desktop can. Does not wait for either.
 */
export function notify(io: Io, event: WatchEvent, hook: string | null): void {
  const failed = (why: string): void => io.err(`daybook: could not notify: ${why}\n`);
  if (hook !== null) return startDetached(hook, [], { env: { ...io.env, ...hookEnv(event) }, shell: true }, failed);
  if (io.errIsTerminal) io.err("\u0007");
  const [program, ...words] = desktopCommand(process.platform, io.env, notice(event)) ?? [];
  if (program !== undefined) startDetached(program, words, { env: { ...io.env } }, failed);
}
