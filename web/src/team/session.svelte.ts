import type { ApiProblem } from "../api/client.ts";

/** Key in the tab's sessionStorage: the token is gone when the tab is closed, and other tabs do not see it. */
const STORAGE_KEY = "daybook-token";

/** The reader's token, and why the previous one was rejected. */
export const session: { token: string | null; problem: ApiProblem | null } = $state({
  token: sessionStorage.getItem(STORAGE_KEY),
  problem: null,
});

export function signIn(token: string): void {
  sessionStorage.setItem(STORAGE_KEY, token);
  session.token = token;
  session.problem = null;
}

export function signOut(problem: ApiProblem | null = null): void {
  sessionStorage.removeItem(STORAGE_KEY);
  session.token = null;
  session.problem = problem;
}
