import { ApiProblem } from "../api/client.ts";
import { session, signOut } from "./session.svelte.ts";
import type { components, paths } from "./types.d.ts";

type Schemas = components["schemas"];
export type Me = Schemas["TeamAsker"];
export type TeamView = Schemas["TeamView"];
export type TeamTurn = Schemas["TeamTurn"];

type Answer<P extends keyof paths> = paths[P]["get"] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;
type Query<P extends keyof paths> = paths[P]["get"] extends { parameters: { query?: infer Q } } ? Q : undefined;

/** Sends one GET request to the team's server. */
export async function ask<P extends keyof paths>(
  path: P,
  { query, signal }: { query?: Query<P>; signal?: AbortSignal } = {},
): Promise<Answer<P>> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>(query ?? {}))
    if (typeof value === "string" || typeof value === "number") words.set(name, String(value));
  const { token } = session;
  const response = await fetch(`/api/team${path}?${words.toString()}`, {
    headers: { authorization: `Bearer ${token ?? ""}` },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return (await response.json()) as Answer<P>;
  const { detail, hint } = (await response.json().catch(() => ({}))) as { detail?: string; hint?: string | null };
  const problem = new ApiProblem(
    response.status,
    detail ?? `the server answered with status ${response.status}`,
    hint ?? null,
  );
  // The token expired while the page was open, or it is a push token, which cannot read. Of several failed requests in
  // flight only the first signs out.
  const isRefused = response.status === 401 || (response.status === 403 && path === "/me");
  if (isRefused && token === session.token) signOut(problem);
  throw problem;
}
