import { z } from "@hono/zod-openapi";
import { addRoute, sessionParams, type Api, type AnswerContext } from "../route.ts";
import { keyOfSession, turnKeyIn } from "../../../record/session-key.ts";

const change = z.object({
  turn_ref: z
    .string()
    .regex(/^T\d{4,}$/)
    .optional()
    .openapi({ description: "One of its turns; the session itself when absent" }),
  starred: z.boolean().optional(),
  label: z.array(z.string().max(600)).max(20).optional().openapi({ description: "`KEY=VALUE`, or plain words" }),
  unlabel: z.array(z.string().max(100)).max(20).optional().openapi({ description: "Keys" }),
  note: z.string().max(8000).optional().openapi({ description: "The text of a new note" }),
  unnote: z.string().max(40).optional().openapi({ description: "The id of a note" }),
});

/** Marks on sessions and turns. */
export function markRoutes(api: Api, served: AnswerContext): void {
  const { daybook } = served;

  addRoute(api, served, {
    path: "/labels",
    summary: "All labels, and the number of sessions and turns that have each",
    answer: "LabelList",
    ask: async () => ({ labels: await daybook.labels() }),
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/marks",
    method: "post",
    summary: "Puts a star, labels or a note on a session or one of its turns, or removes them",
    params: sessionParams,
    body: change,
    answer: "SessionMarked",
    ask: async ({ params, body }) => {
      const name = keyOfSession(params.source, params.session);
      const { turn_ref, ...demand } = body;
      await daybook.mark(turn_ref === undefined ? name : turnKeyIn(name, turn_ref), demand);
      const [view] = await daybook.sessions({ session: name });
      return { marks: view?.marks ?? null };
    },
  });
}
