import type { ChildLinkedBody } from "../record/record.ts";
import type { ChildLink } from "./model.ts";
import { keyOfSession } from "../record/session-key.ts";

/** Where a link was stated: the line, the turn running there, and the call it names. */
export interface LinkPlace {
  line: number;
  time: number | null;
  turn: number | null;
  call: { turn: number | null; start_line: number } | null;
}

/** The sessions a file says it started, each listed once however often it is named. */
export class ChildLedger {
  readonly links: ChildLink[];
  /** True if a link was added or changed since the builder was restored. */
  changed = false;
  readonly #byKey: Map<string, ChildLink>;

  constructor(saved: readonly ChildLink[] = []) {
    this.links = [...saved];
    this.#byKey = new Map(saved.map((link) => [keyOf(link.child), link]));
  }

  link(body: ChildLinkedBody, { line, time, turn, call }: LinkPlace): void {
    this.changed = true;
    const key = keyOf(body.child);
    let link = this.#byKey.get(key);
    if (!link) {
      link = {
        child: body.child,
        relation: body.relation,
        role: null,
        turn: call?.turn ?? turn,
        spawn_line: body.phase === "spawned" || call ? (call?.start_line ?? line) : null,
        result_line: null,
        returned_at: null,
      };
      this.#byKey.set(key, link);
      this.links.push(link);
    }
    link.role = link.role ?? body.role ?? null;
    if (body.phase !== "returned") return;
    link.result_line = line;
    link.returned_at = time;
  }
}

function keyOf({ source, session_id }: ChildLink["child"]): string {
  return keyOfSession(source, session_id);
}
