import { createRoute } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import type { ChangeEvent } from "../answers.ts";
import type { Api, Served } from "../route.ts";

/** A line that nobody connects through stays open for so long without anything being said, in ms. */
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

/** One watch of the files serves everybody who listens; while nobody does, nobody looks. */
export function eventRoute(api: Api, served: Served): void {
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
