/** Where the page shows a session, a turn of it or a line. */
export function sessionHref(source: string, session: string, turn?: string | null, line?: number | null): string {
  const base = `/session/${encodeURIComponent(source)}/${encodeURIComponent(session)}`;
  const query = line === null || line === undefined ? "" : `?line=${line}`;
  return `${base}${query}${turn === null || turn === undefined ? "" : `#${turn}`}`;
}
