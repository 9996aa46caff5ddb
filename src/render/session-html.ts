import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { LogRecord } from "../record/record.ts";
import type { Zone } from "../base/time/zone.ts";
import { renderDocument } from "./html/document.ts";
import SessionDocument from "./html/SessionDocument.svelte";
import { excerpt } from "./phrases.ts";

/** A session, or the part of it that was asked for, as one HTML document. */
export function renderSessionHtml(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
  zone: Zone,
): string {
  const title = excerpt(session.title ?? session.session_id, 1, 120);
  return renderDocument(SessionDocument, { session, title, turns, records }, { title, timezone: zone.name });
}
