import { addressOf, ApiProblem, ask, mark, type MarkChange, openResumed, type Schemas } from "../api/client.ts";
import { noteChange } from "../api/live.svelte.ts";
import { copyLater } from "./clipboard.ts";
import { say } from "./notices.svelte.ts";
import { settings } from "./settings.svelte.ts";

/** A session, or one request of it, as something to act on. */
export interface Subject {
  source: string;
  session_id: string;
  /** Null for the session itself. */
  turn_ref: string | null;
  title: string;
}

/** What is done in a dialog. */
export type Deed = "handoff" | "share" | "label" | "note" | "refused";

export interface OpenDeed {
  deed: Deed;
  on: Subject;
  /** Why a session cannot be resumed. */
  refused?: Schemas["ResumeView"];
}

/**
 * `of`: what the keys and the palette act on: the session that is read, or the row that had the focus last.
 * `open`: the dialog.
 */
export const acting: {
  of: Subject | null;
  open: OpenDeed | null;
} = $state({ of: null, open: null });

export function act(deed: Deed, on: Subject): void {
  acting.open = { deed, on };
}

/** The calling page is about this, as long as it is shown. */
export function subjectOfPage(find: () => Subject | null): void {
  $effect(() => {
    acting.of = find();
    return () => (acting.of = null);
  });
}

/** Copies the agent's own command that takes the session up again, or has it opened where the reader wants that; or says why there is none. */
export async function resume(on: Subject): Promise<void> {
  const { source, session_id: session } = on;
  try {
    if (settings.resume === "open") {
      const found = await openResumed(source, session);
      if (found.opened) return say("Opened in a terminal.", { code: found.command ?? "" });
    }
    const asked = ask("/sessions/{source}/{session}/resume", { params: { source, session } });
    const isCopied = await copyLater(asked.then(({ command }) => command));
    const found = await asked;
    if (found.command === null || !isCopied) acting.open = { deed: "refused", on, refused: found };
    else say(["Copied. Paste it in a terminal:", found.note].filter(Boolean).join(" "), { code: found.command });
  } catch (error) {
    say(problemText(error), { tone: "bad" });
  }
}

/** Changes marks; whatever shows the session asks again. */
export async function change(on: Subject, wanted: MarkChange): Promise<boolean> {
  try {
    await mark(on.source, on.session_id, on.turn_ref === null ? wanted : { ...wanted, turn_ref: on.turn_ref });
    noteChange(on);
    return true;
  } catch (error) {
    say(problemText(error), { tone: "bad" });
    return false;
  }
}

/** Closes what a request left open; it can be taken back. */
export async function close(on: Subject): Promise<void> {
  if (!(await change(on, { closed: true }))) return;
  say(`Done: ${on.title.slice(0, 80)}`, { undo: () => void change(on, { closed: false }) });
}

/** Where a download of it is. */
export function exportHref(on: Subject, format: "jsonl" | "html" | "markdown"): string {
  const { source, session_id: session, turn_ref } = on;
  const query = { format, ...(turn_ref === null ? {} : { turn: turn_ref }) };
  return addressOf("/sessions/{source}/{session}/export", query, { source, session });
}

export function problemText(error: unknown): string {
  return error instanceof ApiProblem
    ? [error.message, error.hint].filter(Boolean).join(": ")
    : "the server is not responding";
}
