import { type Schemas } from "../api/client.ts";
import { sessionKey } from "./session-key.ts";

/**
 * What the browser tab shows in its title and icon: what is waiting, and whether an agent finished while the tab was
 * hidden.
 */
export const tab: { page: string | null; now: Schemas["Now"] | null; finished: boolean } = $state({
  page: null,
  now: null,
  finished: false,
});

/** Sets the tab's title while the calling page is shown. */
export function setTabTitle(name: () => string | null): void {
  $effect(() => {
    tab.page = name();
    return () => (tab.page = null);
  });
}

export function waitingCount(now: Schemas["Now"] | null): number {
  return now === null ? 0 : (now.waiting?.length ?? 0) + (now.waiting_longer?.length ?? 0);
}

/** `(2) Daybook`, with a tick in front if an agent finished while the tab was hidden. */
export function tabTitle(page: string | null, waiting: number, finished: boolean): string {
  const name = page === null ? "Daybook" : `${page} · Daybook`;
  return `${finished ? "✓ " : ""}${waiting > 0 ? `(${waiting}) ` : ""}${name}`;
}

/** Stores the current state. A session that was running before and no longer is has finished. */
export function updateNow(next: Schemas["Now"], isHidden: boolean): void {
  const still = new Set(next.running.map(sessionKey));
  if (isHidden && tab.now?.running.some((one) => !still.has(sessionKey(one))) === true) tab.finished = true;
  tab.now = next;
}

const PAGE = "M11 10h10M11 16h10M11 22h6";

/** URL of the tab's icon, with a dot if something is waiting or has finished. */
export function iconWith(badge: "wait" | "done" | null): string {
  if (badge === null) return "/icon.svg";
  const dot = `<circle cx="24" cy="8" r="8" fill="${badge === "wait" ? "#d08700" : "#2c8a52"}" stroke="#fff" stroke-width="2"/>`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="22" height="26" rx="4" fill="#2f5fd0"/>` +
    `<path d="${PAGE}" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/>${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
