import { ask, type Session } from "../api/client.ts";
import { touches } from "../api/live.svelte.ts";
import { pagedList, type PagedList } from "./paged-list.svelte.ts";
import { sessionHref } from "./session-href.ts";

export const OUTCOMES = [
  { value: "completed", text: "✓ done" },
  { value: "failed", text: "✗ failed" },
  { value: "aborted", text: "■ stopped" },
  { value: "open", text: "◔ not finished" },
] as const;
export const SORTS = [
  { value: "oldest", text: "oldest first" },
  { value: "active", text: "last active first" },
  { value: "cost", text: "most expensive first" },
  { value: "turns", text: "most requests first" },
] as const;
const MARKED: Readonly<Record<string, { starred?: "1"; noted?: "1" }>> = {
  starred: { starred: "1" },
  noted: { noted: "1" },
};

/** A value that the API accepts, or none. */
export function oneOf<T extends string>(given: string | null, known: readonly { value: T }[]): T | undefined {
  return known.find(({ value }) => value === given)?.value;
}

/**
 * How the reader last filtered and sorted the sessions, and those shown: the list beside a session is the same, and j
 * goes on to the next of them.
 */
export const lastList: { query: URLSearchParams; shown: readonly Session[] } = $state({
  query: new URLSearchParams(),
  shown: [],
});

/** The session before or after one in the list. */
export function neighbourOf(source: string, session: string, step: 1 | -1): string | null {
  const at = lastList.shown.findIndex((one) => one.source === source && one.session_id === session);
  const next = at === -1 ? undefined : lastList.shown[at + step];
  return next === undefined ? null : sessionHref(next.source, next.session_id);
}

/** Sessions as the words of an address of /sessions ask for them. */
export function sessionList(words: () => URLSearchParams, size?: number): PagedList<Session> {
  return pagedList<Session>(
    (cursor, limit, signal) => {
      const query = words();
      const word = (name: string): string | undefined => query.get(name) ?? undefined;
      const minCost = Number(word("min_cost") ?? Number.NaN);
      const outcome = oneOf(query.get("outcome"), OUTCOMES);
      const order = word("group") === "project" ? "project" : oneOf(query.get("sort"), SORTS);
      const asked = {
        limit,
        cursor,
        text: word("text"),
        project: word("project"),
        source: word("source"),
        model: word("model"),
        label: word("label"),
        since: word("since"),
        until: word("until"),
        ...MARKED[word("marked") ?? ""],
        ...(outcome === undefined ? {} : { outcome }),
        ...(order === undefined ? {} : { sort: order }),
        ...(word("failures") === undefined ? {} : { failures: "1" as const }),
        ...(word("children") === undefined ? {} : { children: "1" as const }),
        ...(Number.isNaN(minCost) ? {} : { min_cost: minCost }),
      };
      const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
      return ask("/sessions", { query: given, signal }).then(({ sessions, total, next_cursor }) => ({
        rows: sessions,
        total,
        next: next_cursor,
      }));
    },
    {
      ...(size === undefined ? {} : { size }),
      isAbout: (event) => touches(event, { project: words().get("project") }),
    },
  );
}
