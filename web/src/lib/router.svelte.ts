/** The current URL: path, query and fragment. */
export const route: { path: string; query: URLSearchParams; hash: string } = $state({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash,
});

function readLocation(): void {
  route.path = location.pathname;
  route.query = new URLSearchParams(location.search);
  route.hash = location.hash;
}

/** Navigates within the page. `replace` adds no history entry; used while the reader types. */
export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, "", href);
  else history.pushState(null, "", href);
  readLocation();
  if (!replace && location.hash === "") scrollTo(0, 0);
}

type QueryParams = Readonly<Record<string, string | null | undefined>>;

/** A URL with query parameters set; empty ones are removed. */
export function addressWith(at: { path: string; query: URLSearchParams }, words: QueryParams): string {
  const query = new URLSearchParams(at.query);
  for (const [name, value] of Object.entries(words)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${at.path}${text === "" ? "" : `?${text}`}`;
}

/** Sets query parameters of the current URL; empty ones are removed. */
export function setQuery(words: QueryParams, { replace = true } = {}): void {
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

/** Handles links within the page without reloading it. Returns a function that stops it. */
export function startRouting(): () => void {
  addEventListener("popstate", readLocation);
  document.addEventListener("click", onClick);
  return () => {
    removeEventListener("popstate", readLocation);
    document.removeEventListener("click", onClick);
  };
}
