import type { ApiProblem } from "../api/client.ts";

/** As long as the tab is open, and in no other: whoever finds the machine later finds no token. */
const PLACE = "daybook-token";

/** Who looks at the page: their token, and why the last one is no longer good. */
export const session: { token: string | null; problem: ApiProblem | null } = $state({
  token: sessionStorage.getItem(PLACE),
  problem: null,
});

export function signIn(token: string): void {
  sessionStorage.setItem(PLACE, token);
  session.token = token;
  session.problem = null;
}

export function signOut(problem: ApiProblem | null = null): void {
  sessionStorage.removeItem(PLACE);
  session.token = null;
  session.problem = problem;
}
