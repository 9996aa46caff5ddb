import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { DaybookError } from "../../../base/errors.ts";
import { applySession, forgetSession, pushState } from "../../../team/push/apply.ts";
import { isMachine, isUuid, PUSH_PATHS, receiveSession } from "../../../team/push/wire.ts";
import { transaction, type Sql } from "../../../team/store/transaction.ts";
import { problem } from "../problem.ts";
import { askerOf, requireScope } from "./access.ts";
import { linesOf, wholeText } from "../../../team/body-lines.ts";
import type { TeamServerContext } from "./questions.ts";

/** Maximum number of concurrent pushes; more are asked to retry, so that questions always find a free connection. */
const MOST_AT_ONCE = 8;
/** Maximum number of sessions that one request may forget. */
const MOST_FORGOTTEN = 10_000;

/**
 * A push may wait for other machines of the same owner, and its connection may break: neither may hold a database
 * connection for long.
 */
const LOCK_AND_IDLE_LIMITS = [
  "SET LOCAL lock_timeout = '15s'",
  "SET LOCAL idle_in_transaction_session_timeout = '30s'",
];

/** Where machines push to. The owner of the rows is determined by the token alone, not by anything in the request. */
export function pushRoutes(app: OpenAPIHono, { pool }: TeamServerContext): void {
  app.use("/api/team/push/*", requireScope("push"));
  let running = 0;
  const writing = async <T>(c: Context, work: (sql: Sql, owner: string) => Promise<T>): Promise<T> => {
    const { owner } = askerOf(c);
    return transaction(pool, { role: "daybook_dev", owner }, async (sql) => {
      for (const limit of LOCK_AND_IDLE_LIMITS) await sql.query(limit);
      return work(sql, owner);
    });
  };
  const limited = async (c: Context, work: () => Promise<Response>): Promise<Response> => {
    if (running >= MOST_AT_ONCE) {
      c.header("retry-after", "2");
      return problem(c, 503, "too many machines are pushing", "try again in a moment");
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };

  app.get(PUSH_PATHS.state, async (c) => {
    const machine = c.req.query("machine");
    if (!isUuid(machine)) return problem(c, 400, "machine: must be the id of a machine");
    return writing(c, async (sql, owner) => {
      const { rows } = await sql.query<{ store_id: string; zone: string }>("SELECT store_id, zone FROM daybook.stores");
      const state = await pushState(sql, owner, machine);
      return c.json({ store_id: rows[0]?.store_id, zone: rows[0]?.zone, owner_id: owner, ...state });
    });
  });

  app.post(PUSH_PATHS.session, (c) =>
    limited(c, async () => {
      // Line by line: a large session is never in memory as a whole.
      const { machine, head, batches } = await receiveSession(linesOf(c.req.raw.body));
      const applied = await writing(c, (sql, owner) => applySession(sql, owner, machine, head, batches));
      return c.json({ applied });
    }),
  );

  app.post(PUSH_PATHS.forget, (c) =>
    limited(c, async () => {
      const { machine, sessions } = forgettingIn(await wholeText(c.req.raw.body));
      let forgotten = 0;
      for (const id of sessions)
        if (await writing(c, (sql, owner) => forgetSession(sql, owner, machine, id))) forgotten += 1;
      return c.json({ forgotten });
    }),
  );
}

interface Forgetting {
  machine: Parameters<typeof forgetSession>[2];
  sessions: string[];
}

function forgettingIn(text: string): Forgetting {
  try {
    const { machine, sessions } = JSON.parse(text) as Record<string, unknown>;
    if (isMachine(machine) && Array.isArray(sessions) && sessions.length <= MOST_FORGOTTEN && sessions.every(isUuid))
      return { machine, sessions };
  } catch {
    // Treated like any other invalid body.
  }
  throw new DaybookError("the request names no sessions to forget", { code: "invalid", op: "forget" });
}
