/** Where the reader is: a path and what stands behind `?`, as the address bar has them. */
export const route: { path: string; query: URLSearchParams; hash: string } = $state({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash,
});

function take(): void {
  route.path = location.pathname;
  route.query = new URLSearchParams(location.search);
  route.hash = location.hash;
}

/** Goes to a place of the page. `replace`: without a step to go back to, for what is typed. */
export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, "", href);
  else history.pushState(null, "", href);
  take();
  if (!replace && location.hash === "") scrollTo(0, 0);
}

type Words = Readonly<Record<string, string | null | undefined>>;

/** An address with words of its query set, leaving out those that are empty. */
export function addressWith(at: { path: string; query: URLSearchParams }, words: Words): string {
  const query = new URLSearchParams(at.query);
  for (const [name, value] of Object.entries(words)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${at.path}${text === "" ? "" : `?${text}`}`;
}

/** Sets words of the query, leaving out those that are empty. */
export function setQuery(words: Words, { replace = true } = {}): void {
  const here = { path: location.pathname, query: new URLSearchParams(location.search) };
  go(addressWith(here, words) + location.hash, { replace });
}

function onClick(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.hasAttribute("download") || link.target === "_blank") return;
  if (link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

/** Links of the page are followed without loading it again. */
export function startRouting(): () => void {
  addEventListener("popstate", take);
  document.addEventListener("click", onClick);
  return () => {
    removeEventListener("popstate", take);
    document.removeEventListener("click", onClick);
  };
}

export function sessionHref(source: string, session: string, turn?: string | null, line?: number | null): string {
  const base = `/session/${encodeURIComponent(source)}/${encodeURIComponent(session)}`;
  const query = line === null || line === undefined ? "" : `?line=${line}`;
  return `${base}${query}${turn === null || turn === undefined ? "" : `#${turn}`}`;
}
