import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { firstAnswers, embedInPage } from "./first-answers.ts";
import { checkAddress, checkAccess, mayReveal, type Guard } from "./guard.ts";
import { problem, problemOf } from "./problem.ts";
import { eventRoute } from "./routes/events.ts";
import { exportRoute } from "./routes/export.ts";
import { markRoutes } from "./routes/marks.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { questionRoutes } from "./routes/questions.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { mcpRoute } from "./routes/mcp.ts";
import type { Api, ServerContext } from "./route.ts";
import type { PageFiles } from "./page-files.ts";

export interface AppOptions extends ServerContext {
  guard: Guard;
  /** The page; null if only the API is served. */
  page: PageFiles | null;
  /** The OpenAPI document. */
  document: () => string;
}

/** Everything the server answers. It does not depend on sockets, so that tests can call it directly. */
export function buildApp(options: AppOptions): OpenAPIHono {
  const { guard, page, document, daybook } = options;
  const app = new OpenAPIHono();
  app.onError((error, c) => problemOf(c, error, (text) => daybook.redactor.text(text)));
  app.notFound((c) => problem(c, 404, `nothing at ${c.req.path}`, "the API is described at /api/openapi.json"));
  app.use(checkAddress(guard.hosts), checkAccess(guard));
  app.use(async (c, next) => {
    c.set("reveal" as never, mayReveal(c.req.header("x-daybook-reveal"), guard.pageToken) as never);
    // Answers change over time: the page is notified and asks again.
    if (c.req.path.startsWith("/api/")) c.header("cache-control", "no-store");
    await next();
  });
  app.get("/api/openapi.json", (c) => c.body(document(), 200, { "content-type": "application/json" }));
  app.route("/api", buildApi(options));
  app.all("/api/*", (c) => c.notFound());
  app.all("/mcp", daybook.isOfStore ? noMcp : mcpRoute(daybook));
  if (page) {
    // A path of the single-page app is not a file, but it can be reloaded.
    app.get("/*", (c) =>
      page.respond(c, guard.pageToken, async () => embedInPage(await firstAnswers(app.fetch, c.req.raw))),
    );
  }
  return app;
}

/** Agents ask for records, which a store does not have. */
function noMcp(c: Context): Response {
  return problem(
    c,
    409,
    "agents cannot be answered: records are not in the store",
    "`daybook mcp` answers from a book",
  );
}

/** The routes of the API alone; the OpenAPI document is generated from them. */
export function buildApi(served: ServerContext): Api {
  const api = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const [first] = result.error.issues;
      return problem(c, 400, `${first?.path.join(".") ?? "query"}: ${first?.message ?? "not understood"}`);
    },
  });
  overviewRoutes(api, served);
  sessionRoutes(api, served);
  markRoutes(api, served);
  questionRoutes(api, served);
  exportRoute(api, served);
  eventRoute(api, served);
  return api;
}
