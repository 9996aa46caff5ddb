import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { inTime } from "../../team/body-lines.ts";
import { ownRows } from "../../team/read/open-store.ts";
import { rowPieces } from "../../team/read/row-lines.ts";
import { problem } from "../problem.ts";
import { flag, type Api } from "../route.ts";
import { askerOf, scoped } from "./asking.ts";
import type { TeamServed } from "./questions.ts";

/** People whose rows are sent at once, each over a connection of its own; others are asked to come again. */
const MOST_AT_ONCE = 6;
/** How long whoever reads may take for the next piece, in ms: who takes nothing holds no connection. */
const PATIENCE = 20_000;
/** A proxy that collects the answer would take all at once. */
const HEADERS = { "content-type": "application/x-ndjson", "x-accel-buffering": "no" };

const query = z.object({
  calls: flag.openapi({ description: "Tool calls too" }),
  words: z.string().max(500).optional().openapi({ description: "Texts too that hold one of these words" }),
});

const route = createRoute({
  method: "get",
  path: "/rows",
  operationId: "getTeamrows",
  request: { query },
  summary: "All one's own rows, one a line, for `--store https://…`; the last line is `end`",
  middleware: [scoped("read")] as never,
  responses: {
    200: { description: "", content: { "application/x-ndjson": { schema: { type: "string" } } } },
    default: {
      description: "Why it could not be answered",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  },
});

/** What a person pushed, for their own questions. Whose rows they are is said by the token, and by nothing that is asked. */
export function rowsRoute(api: Api, { pool, failed }: TeamServed): void {
  let running = 0;
  api.openapi(route, (async (c: Context) => {
    const { calls = false, words } = c.req.valid("query" as never) as z.output<typeof query>;
    if (c.req.method === "HEAD") return c.body(null, 200, HEADERS);
    if (running >= MOST_AT_ONCE) {
      c.header("retry-after", "2");
      return problem(c, 503, "as many people read as can be served", "try again in a moment");
    }
    running += 1;
    // A piece is written when the one before was taken: rows are fetched no faster than they are read.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    let isGone = false;
    const put = (piece: string): Promise<void> =>
      inTime(writer.write(Buffer.from(piece)), PATIENCE, "nobody takes it").catch((error: unknown) => {
        isGone = true;
        throw error;
      });
    // What fails before the first piece is answered as any other failure.
    await new Promise<void>((begin, refuse) => {
      let hasBegun = false;
      const sent = ownRows(pool, askerOf(c).owner, { withCalls: calls, words }, async (rows) => {
        for await (const piece of rowPieces(rows)) {
          hasBegun = true;
          begin();
          await put(piece);
        }
      });
      const stop = async (error: unknown): Promise<void> => {
        if (!hasBegun) return refuse(error);
        if (!isGone) failed(error);
        // The last line does not come, by which whoever reads knows. What the database said stays here.
        await writer.abort(new Error("rows could not be sent to their end"));
      };
      void sent
        .finally(() => void (running -= 1))
        .then(() => writer.close(), stop)
        .catch(() => undefined);
    });
    return c.body(readable, 200, HEADERS);
  }) as never);
}
