import type { Context, MiddlewareHandler } from "hono";
import type { TokenScope } from "../../../views/team.ts";
import type { Asker } from "../../../team/ask/asker.ts";
import { problem } from "../problem.ts";

/** Identifies the owner of a token; null if it is not valid. */
export type Recognise = (bearer: string) => Promise<Asker | null>;

/**
 * Rejects requests without a valid token. What is wrong with a token is not said: that would only help an attacker.
 */
export function requireToken(recognise: Recognise): MiddlewareHandler {
  return async (c, next) => {
    const [, bearer] = /^Bearer ([\w.~+/=-]{1,8192})$/.exec(c.req.header("authorization") ?? "") ?? [];
    const asker = bearer === undefined ? null : await recognise(bearer);
    if (asker === null) {
      c.header("www-authenticate", 'Bearer realm="daybook"');
      return problem(c, 401, "no valid token", "the administrator creates one with: daybook team invite NAME");
    }
    c.set("asker" as never, asker as never);
    await next();
    return;
  };
}

export function requireScope(scope: TokenScope): MiddlewareHandler {
  return async (c, next) => {
    if (!askerOf(c).scopes.includes(scope)) {
      const other = scope === "push" ? "reading" : "pushing";
      const made = `daybook team invite NAME${scope === "push" ? "" : " --scope read"}`;
      return problem(c, 403, `this token is only for ${other}`, `create one to ${scope} with: ${made}`);
    }
    await next();
    return;
  };
}

export function askerOf(c: Context): Asker {
  return c.get("asker" as never) as Asker;
}
