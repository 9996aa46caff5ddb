import type { Context, MiddlewareHandler } from "hono";
import type { TokenScope } from "../../answers/team.ts";
import type { Asker } from "../../team/ask/asker.ts";
import { problem } from "../problem.ts";

/** Says who is behind a token; null where nobody is. */
export type Recognise = (bearer: string) => Promise<Asker | null>;

/** Nobody asks anything unrecognised. What is wrong with a token is not said: it would help only who guesses. */
export function recognised(recognise: Recognise): MiddlewareHandler {
  return async (c, next) => {
    const [, bearer] = /^Bearer ([\w.~+/=-]{1,8192})$/.exec(c.req.header("authorization") ?? "") ?? [];
    const asker = bearer === undefined ? null : await recognise(bearer);
    if (asker === null) {
      c.header("www-authenticate", 'Bearer realm="daybook"');
      return problem(
        c,
        401,
        "no token that is in force here",
        "whoever runs this server makes one: daybook team invite NAME",
      );
    }
    c.set("asker" as never, asker as never);
    await next();
    return;
  };
}

export function scoped(scope: TokenScope): MiddlewareHandler {
  return async (c, next) => {
    if (!askerOf(c).scopes.includes(scope)) {
      const other = scope === "push" ? "looking" : "pushing";
      const made = `daybook team invite NAME${scope === "push" ? "" : " --scope read"}`;
      return problem(c, 403, `this token is for ${other} alone`, `one to ${scope} with is made by ${made}`);
    }
    await next();
    return;
  };
}

export function askerOf(c: Context): Asker {
  return c.get("asker" as never) as Asker;
}
