import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Handler, MiddlewareHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { type Freshness, inside } from "../../answers/daybook.ts";
import { type AnswerThreads, BusyError } from "./answer-threads.ts";
import { checkAccess, checkAddress, type Guard, mayReveal, TICKETS } from "./guard.ts";
import { embedInPage, firstAnswers, type PageFiles } from "./page-files.ts";
import { problem, problemOf } from "./problem.ts";
import type { AnswerContext, Api, ServerContext } from "./route.ts";
import { eventRoute } from "./routes/events.ts";
import { actingRoutes } from "./routes/acting.ts";
import { exportRoute } from "./routes/export.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { questionRoutes } from "./routes/questions.ts";
import { markRoutes, sessionRoutes } from "./routes/sessions.ts";

interface AppOptions extends ServerContext {
  guard: Guard;
  /** The page; null if only the API is served. */
  page: PageFiles | null;
  /** The OpenAPI document. */
  document: () => string;
  /** A new address that a browser can open once. */
  address: () => string;
  /** Another number than before if answers may differ. */
  state: () => number;
  /** Where questions are answered; null: in this thread. */
  threads: AnswerThreads | null;
}

/** Everything the server answers. It does not depend on sockets, so that tests can call it directly. */
export function buildApp(options: AppOptions): OpenAPIHono {
  const { guard, page, document, daybook } = options;
  const app = new OpenAPIHono();
  app.onError((error, c) => problemOf(c, error, (text) => daybook.redactor.text(text)));
  app.notFound(notFound);
  app.use(checkAddress(guard.hosts), checkAccess(guard));
  app.use(async (c, next) => {
    // Answers change over time: the page is notified and asks again.
    if (c.req.path.startsWith("/api/")) c.header("cache-control", "no-store");
    await next();
  });
  app.post(TICKETS, (c) => c.json({ url: options.address() }));
  app.get("/api/openapi.json", (c) => c.body(document(), 200, { "content-type": "application/json" }));
  app.route("/api", buildEvents(options));
  app.use("/api/*", answerIn(options));
  app.use("/mcp", answerIn(options));
  app.route("/", buildAnswers(options));
  if (page) {
    // A path of the single-page app is not a file, but it can be reloaded.
    app.get("/*", (c) =>
      page.respond(c, guard.pageToken, async () => embedInPage(await firstAnswers(app.fetch, c.req.raw))),
    );
  }
  return app;
}

/** Looks for changed files first, then has the question answered by a thread. What changes something is done here. */
function answerIn({ threads, freshen, isSyncing, state }: AppOptions): MiddlewareHandler {
  return async (c, next) => {
    const isQuestion = c.req.method !== "POST" || c.req.path === "/mcp";
    if (!isQuestion) {
      await next();
      threads?.forget();
      return;
    }
    const freshness: Freshness = await freshen();
    if (threads === null) return next();
    try {
      const answer = await threads.answer(c.req.raw, { state: state(), freshness, isSyncing: isSyncing() });
      // A new response, with the headers that all answers have.
      return c.newResponse(answer.body, answer.status as StatusCode, Object.fromEntries(answer.headers));
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      c.header("retry-after", error.retryAfter);
      return problem(c, 503, error.message, "ask again in a moment");
    }
  };
}

/** The answers to all questions, after access was checked. The same in the thread of the server and in its others. */
export function buildAnswers(served: AnswerContext): OpenAPIHono {
  const { daybook } = served;
  const app = new OpenAPIHono();
  app.onError((error, c) => problemOf(c, error, (text) => daybook.redactor.text(text)));
  app.notFound(notFound);
  app.use(async (c, next) => {
    c.set("reveal" as never, mayReveal(c.req.header("x-daybook-reveal"), served.pageToken) as never);
    await next();
  });
  app.route("/api", buildQuestions(served));
  app.all("/api/*", (c) => c.notFound());
  app.all("/mcp", inside(daybook).isOfStore ? noMcp : mcpRoute(served));
  return app;
}

function notFound(c: Context): Response {
  return problem(c, 404, `nothing at ${c.req.path}`, "the API is described at /api/openapi.json");
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

/**
 * The routes of the API alone, from which `scripts/gen-openapi.js` generates the OpenAPI document.
 *
 * @public
 */
export function buildApi(served: ServerContext): Api {
  const api = buildQuestions(served);
  eventRoute(api, served);
  return api;
}

function buildEvents(served: ServerContext): Api {
  const api = new OpenAPIHono();
  eventRoute(api, served);
  return api;
}

function buildQuestions(served: AnswerContext): Api {
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
  actingRoutes(api, served);
  questionRoutes(api, served);
  exportRoute(api, served);
  return api;
}

/** The MCP server over HTTP. Loaded by the first request: most users of the page have no MCP client. */
function mcpRoute({ daybook, freshen }: AnswerContext): Handler {
  let answering: Promise<(request: Request) => Promise<Response>> | null = null;
  return async (c) => {
    answering ??= import("../mcp/server.ts").then(({ mcpOverHttp }) => mcpOverHttp(daybook, freshen));
    const answer = await (await answering)(c.req.raw);
    // A new response, with the headers that all answers have.
    return c.newResponse(answer.body, answer.status as StatusCode, Object.fromEntries(answer.headers));
  };
}
