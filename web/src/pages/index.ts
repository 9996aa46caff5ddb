import type { Component } from "svelte";
import type { Schemas } from "../api/client.ts";
import Today from "./Today.svelte";

/** Properties of every page component. */
export interface PageProps {
  overview: Schemas["Overview"];
  params: Record<string, string>;
}

type Loaded = Promise<{ default: Component<PageProps> }> | { default: Component<PageProps> };

interface Page {
  name: string;
  pattern: RegExp;
  load: () => Loaded;
}

/** Pages by URL path. Each is loaded when first opened, except the day page, which most readers open first. */
const PAGES: readonly Page[] = [
  {
    name: "today",
    pattern: /^\/$|^\/(?<named>today|yesterday|week)$|^\/day\/(?<day>[\d-]+)$|^\/week\/(?<week>[\d-]+)$/,
    load: () => ({ default: Today }),
  },
  {
    name: "sessions",
    pattern: /^\/session\/(?<source>[^/]+)\/(?<session>[^/]+)$/,
    load: () => import("./Session.svelte"),
  },
  { name: "search", pattern: /^\/search$/, load: () => import("./Search.svelte") },
  { name: "sessions", pattern: /^\/sessions$/, load: () => import("./Sessions.svelte") },
  { name: "usage", pattern: /^\/usage$/, load: () => import("./Usage.svelte") },
  { name: "decisions", pattern: /^\/decisions$/, load: () => import("./Decisions.svelte") },
  { name: "tools", pattern: /^\/tools$/, load: () => import("./Tools.svelte") },
  { name: "files", pattern: /^\/files$/, load: () => import("./Files.svelte") },
  { name: "health", pattern: /^\/health$/, load: () => import("./Health.svelte") },
];

const NOT_FOUND: Page = { name: "not-found", pattern: /^/, load: () => import("./NotFound.svelte") };

export function pageAt(path: string): { name: string; params: Record<string, string>; load: Page["load"] } {
  for (const { name, pattern, load } of PAGES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const groups = Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined);
    return {
      name,
      load,
      params: Object.fromEntries(groups.map(([key, value]) => [key, decodeURIComponent(value ?? "")])),
    };
  }
  return { name: NOT_FOUND.name, params: {}, load: NOT_FOUND.load };
}
