import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { withTimeout } from "../../../team/body-lines.ts";
import { demandOf, LISTS_PATTERN } from "../../../team/read/demand-query.ts";
import { ownRows } from "../../../team/read/open-store.ts";
import { rowPieces, ROWS_TYPE } from "../../../team/read/row-lines.ts";
import { problem } from "../problem.ts";
import { type Api, flag } from "../route.ts";
import { askerOf, requireScope } from "./access.ts";
import type { TeamServerContext } from "./questions.ts";

/** Maximum number of concurrent readers, each with a connection of its own; more are asked to retry. */
const MOST_AT_ONCE = 6;
/** How long a reader may take for the next piece, in ms: one that reads nothing must not hold a connection. */
const READER_WAIT_MS = 20_000;
/**
 * A buffering proxy would collect the whole answer. Declared as chunked, so that the response is aborted on failure:
 * otherwise the HTTP library ends a response that fails in its first pieces as if it were complete.
 */
const HEADERS = { "content-type": ROWS_TYPE, "x-accel-buffering": "no", "transfer-encoding": "chunked" };

/** The range of JavaScript dates. */
const time = z.coerce.number().int().min(-8.64e15).max(8.64e15).optional();

const query = z.object({
  lists: z.string().max(100).regex(LISTS_PATTERN).optional().openapi({
    description:
      "Lists in addition to the sessions: `turns`, `calls`, `responses`, `asked`, `facts`, separated by commas; all when absent",
    example: "turns,responses",
  }),
  from: time.openapi({ description: "Only rows of sessions that were active after this time, in epoch ms" }),
  to: time.openapi({ description: "… and before this time" }),
  spent_from: time.openapi({ description: "The same for responses, if they are needed for another range" }),
  spent_to: time,
  sums_in: z.string().max(100).optional().openapi({
    description: "Instead of everything else: sums of what was spent, by day of this time zone, agent and model",
  }),
  together: z.enum(["spent", "trigger"]).optional().openapi({
    description:
      "Responses of a turn within a quarter of an hour as one, to be added up by when they were spent, or by when their turn began",
  }),
  words: z.string().max(500).optional().openapi({ description: "Also texts that contain one of these words" }),
  most_texts: z.coerce.number().int().min(1).max(100_000).optional().openapi({
    description: "If at least so many texts contain all the words, only so many of them, the best first",
  }),
  state: flag.openapi({ description: "Only the first line: `state` changes with every push" }),
});

const route = createRoute({
  method: "get",
  path: "/rows",
  operationId: "getTeamrows",
  request: { query },
  summary: "All own rows, one per line, for `--store https://…`; the last line is `end`",
  middleware: [requireScope("read")] as never,
  responses: {
    200: { description: "", content: { [ROWS_TYPE]: { schema: { type: "string" } } } },
    default: {
      description: "Why it could not be answered",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  },
});

/**
 * The rows a person pushed, for their own questions. The owner is determined by the token alone, not by anything in
 * the request.
 */
export function rowsRoute(api: Api, { pool, failed }: TeamServerContext): void {
  let running = 0;
  api.openapi(route, (async (c: Context) => {
    const asked: z.output<typeof query> = c.req.valid("query" as never);
    const about = demandOf(asked);
    if (c.req.method === "HEAD") return c.body(null, 200, HEADERS);
    const isShort = about.onlyState === true;
    if (!isShort && running >= MOST_AT_ONCE) {
      c.header("retry-after", "2");
      return problem(c, 503, "too many people are reading", "try again in a moment");
    }
    const weight = isShort ? 0 : 1;
    running += weight;
    // A piece is written when the previous one was taken: rows are fetched no faster than they are read.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    let isGone = false;
    const put = (piece: string): Promise<void> =>
      withTimeout(writer.write(Buffer.from(piece)), READER_WAIT_MS, "the reader takes nothing").catch(
        (error: unknown) => {
          isGone = true;
          throw error;
        },
      );
    // A failure before the first piece is answered like any other error.
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
        // The reader notices by the missing last line. The database's message is not sent.
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
