import { ApiProblem } from "../api/client.ts";
import type { components, paths } from "./types.d.ts";

export type Group = components["schemas"]["TeamGroup"];

type Answer<P extends keyof paths> = paths[P]["get"] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;
type Query<P extends keyof paths> = paths[P]["get"] extends { parameters: { query?: infer Q } } ? Q : undefined;

/** As long as the tab is open, and in no other: whoever finds the machine later finds no token. */
const PLACE = "daybook-token";

export function token(): string | null {
  return sessionStorage.getItem(PLACE);
}

export function setToken(text: string | null): void {
  if (text === null) sessionStorage.removeItem(PLACE);
  else sessionStorage.setItem(PLACE, text);
}

/** Asks the team's server one question. */
export async function ask<P extends keyof paths>(
  path: P,
  { query, signal }: { query?: Query<P>; signal?: AbortSignal } = {},
): Promise<Answer<P>> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>(query ?? {}))
    if (typeof value === "string") words.set(name, value);
  const response = await fetch(`/api/team${path}?${words.toString()}`, {
    headers: { authorization: `Bearer ${token() ?? ""}` },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return (await response.json()) as Answer<P>;
  const { detail, hint } = (await response.json().catch(() => ({}))) as { detail?: string; hint?: string | null };
  throw new ApiProblem(response.status, detail ?? `the server answered ${response.status}`, hint ?? null);
}
