import { createRoute } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import type { ChangeEvent } from "../answers.ts";
import type { Api, ServerContext } from "../route.ts";

/** Interval of keep-alive events, in ms. */
const BEAT = 20_000;

const route = createRoute({
  method: "get",
  path: "/events",
  operationId: "getEvents",
  summary: "Changes as they happen, as server-sent events named `changes`",
  responses: {
    200: {
      description: "",
      content: { "text/event-stream": { schema: { $ref: "#/components/schemas/ChangeEvent" } } },
    },
  },
});

/** One watcher serves all listeners; without listeners nothing is watched. */
export function eventRoute(api: Api, served: ServerContext): void {
  api.openapi(route, ((c: Parameters<typeof streamSSE>[0]) =>
    streamSSE(c, async (stream) => {
      const waiting: ChangeEvent[] = [];
      let wake: (() => void) | null = null;
      const leave = served.changes.listen((event) => {
        waiting.push(event);
        wake?.();
      });
      stream.onAbort(() => {
        leave();
        wake?.();
      });
      try {
        while (!stream.aborted) {
          const event = waiting.shift();
          if (event) await stream.writeSSE({ event: "changes", data: JSON.stringify(event) });
          else {
            const beat = new Promise<"beat" | "change">((resolve) => {
              const timer = setTimeout(() => resolve("beat"), BEAT);
              wake = () => {
                clearTimeout(timer);
                resolve("change");
              };
            });
            if ((await beat) === "beat" && !stream.aborted) await stream.writeSSE({ event: "beat", data: "" });
          }
        }
      } finally {
        leave();
      }
    })) as never);
}
