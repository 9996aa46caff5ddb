import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { inTime } from "../../team/body-lines.ts";
import { demandOf, LISTS_PATTERN } from "../../team/read/demand-query.ts";
import { ownRows } from "../../team/read/open-store.ts";
import { rowPieces, ROWS_TYPE } from "../../team/read/row-lines.ts";
import { problem } from "../problem.ts";
import { flag, type Api } from "../route.ts";
import { askerOf, scoped } from "./asking.ts";
import type { TeamServed } from "./questions.ts";

/** People whose rows are sent at once, each over a connection of its own; others are asked to come again. */
const MOST_AT_ONCE = 6;
/** How long whoever reads may take for the next piece, in ms: who takes nothing holds no connection. */
const PATIENCE = 20_000;
/**
 * A proxy that collects the answer would take all at once. Named as chunked it is broken off where it fails: the HTTP library ends what fails
 * in the first pieces as if that was all.
 */
const HEADERS = { "content-type": ROWS_TYPE, "x-accel-buffering": "no", "transfer-encoding": "chunked" };

/** Whatever a clock shows: dates end where JavaScript's do. */
const time = z.coerce.number().int().min(-8.64e15).max(8.64e15).optional();

const query = z.object({
  lists: z.string().max(100).regex(LISTS_PATTERN).optional().openapi({
    description:
      "Which lists beside the sessions: `turns`, `calls`, `responses`, `asked`, `facts`, by commas; all when absent",
    example: "turns,responses",
  }),
  from: time.openapi({ description: "Only rows of sessions some part of whose life is later, in epoch ms" }),
  to: time.openapi({ description: "… and earlier" }),
  spent_from: time.openapi({ description: "The same for responses, where they are needed of another time" }),
  spent_to: time,
  words: z.string().max(500).optional().openapi({ description: "Texts too that hold one of these words" }),
  state: flag.openapi({ description: "Only the first line: `state` is another one after every push" }),
});

const route = createRoute({
  method: "get",
  path: "/rows",
  operationId: "getTeamrows",
  request: { query },
  summary: "All one's own rows, one a line, for `--store https://…`; the last line is `end`",
  middleware: [scoped("read")] as never,
  responses: {
    200: { description: "", content: { [ROWS_TYPE]: { schema: { type: "string" } } } },
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
    const asked: z.output<typeof query> = c.req.valid("query" as never);
    const about = demandOf(asked);
    if (c.req.method === "HEAD") return c.body(null, 200, HEADERS);
    const isShort = about.onlyState === true;
    if (!isShort && running >= MOST_AT_ONCE) {
      c.header("retry-after", "2");
      return problem(c, 503, "as many people read as can be served", "try again in a moment");
    }
    const weight = isShort ? 0 : 1;
    running += weight;
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
      const sent = ownRows(pool, askerOf(c).owner, about, async (rows) => {
        for await (const piece of rowPieces(rows, isShort)) {
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
        .finally(() => void (running -= weight))
        .then(() => writer.close(), stop)
        .catch(() => undefined);
    });
    return c.body(readable, 200, HEADERS);
  }) as never);
}
