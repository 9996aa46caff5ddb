import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { codeOf, DaybookError } from "../../../base/errors.ts";
import { checkAddress } from "../guard.ts";
import type { PageFiles } from "../page-files.ts";
import { problem, problemOf } from "../problem.ts";
import type { Api } from "../route.ts";
import { isRefusedValue } from "../../../team/push/retry.ts";
import { TooLarge } from "../../../team/body-lines.ts";
import { requireToken, type Recognise } from "./access.ts";
import { pushRoutes } from "./push.ts";
import { questionRoutes, type TeamServerContext } from "./questions.ts";
import { rowsRoute } from "./rows.ts";

export interface TeamAppOptions extends TeamServerContext {
  /** Host names under which the server may be addressed. */
  hosts: ReadonlySet<string>;
  recognise: Recognise;
  page: PageFiles | null;
  /** The OpenAPI document. */
  document: () => string;
}

/** Everything a team's server answers. It does not depend on sockets, so that tests can call it directly. */
export function buildTeamApp(options: TeamAppOptions): OpenAPIHono {
  const { hosts, recognise, page, document } = options;
  const app = new OpenAPIHono();
  app.onError((error, c) => teamProblem(c, error, options.failed));
  app.notFound((c) => problem(c, 404, "nothing here", "the API is described at /api/team/openapi.json"));
  app.use(checkAddress(hosts));
  app.get("/api/team/openapi.json", (c) => c.body(document(), 200, { "content-type": "application/json" }));
  app.use("/api/*", async (c, next) => {
    c.header("cache-control", "no-store");
    await next();
  });
  app.use("/api/*", requireToken(recognise));
  app.route("/api/team", buildTeamApi(options));
  pushRoutes(app, options);
  app.all("/api/*", (c) => c.notFound());
  // The page itself contains no data: it asks for it with its reader's token.
  if (page) app.get("/*", (c) => page.respond(c, "", async () => "{}"));
  return app;
}

/** The routes alone; the OpenAPI document is generated from them. */
export function buildTeamApi(served: TeamServerContext): Api {
  const api = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const [first] = result.error.issues;
      return problem(c, 400, `${first?.path.join(".") ?? "query"}: ${first?.message ?? "not understood"}`);
    },
  });
  questionRoutes(api, served);
  rowsRoute(api, served);
  return api;
}

/** Database errors name tables, columns and rows: the client is only told whose fault it is. */
function teamProblem(c: Context, error: unknown, failed: (error: unknown) => void): Response {
  if (error instanceof TooLarge) return problem(c, 413, error.message);
  if (error instanceof DaybookError && error.code !== "internal") {
    if (error.code === "refused") return problem(c, 403, error.message, error.hint);
    if (error.code === "unreachable") return busy(c, error.message);
    return problemOf(c, error, (text) => text);
  }
  // A connection pool that times out has no error code.
  const state =
    error instanceof Error && /connection timeout|timeout exceeded when/.test(error.message)
      ? "ETIMEDOUT"
      : (codeOf(error) ?? "");
  if (DOWN.test(state)) {
    failed(error);
    return busy(c, "the store cannot be reached");
  }
  if (BUSY.test(state)) return busy(c, "the store is busy");
  if (isRefusedValue(state)) return problem(c, 422, "it contains a value that the store does not accept");
  failed(error);
  if (state === "42501") return problem(c, 403, "not allowed");
  return problem(c, 500, "the store could not answer");
}

/** Clients that push or ask retry by themselves. */
function busy(c: Context, why: string): Response {
  c.header("retry-after", "2");
  return problem(c, 503, why, "try again in a moment");
}

/** Serialization failures, deadlocks, lock timeouts, too many connections. */
const BUSY = /^(?:40001|40P01|55P03|25P03|53300)$/;
/** A database that is starting or stopping, broken connections, an unreachable address. */
const DOWN = /^(?:57P0[123]|08\w{3}|ECONN\w+|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(?:HOST|NET)UNREACH)$/;
