import { z } from "@hono/zod-openapi";
import { inside } from "../../../answers/daybook.ts";
import type { LogRecord } from "../../../record/record.ts";
import { keyOfSession, turnKeyIn } from "../../../record/session-key.ts";
import { saidIn } from "../../../record/review-text.ts";
import { openIn } from "../terminal.ts";
import { renderSessionMarkdown } from "../../../render/session-markdown.ts";
import type { SessionMatch } from "../answers.ts";
import { addRoute, type AnswerContext, type Api, sessionParams } from "../route.ts";
import { readShared } from "../shared-session.ts";

/** Characters of a shared document that are shown before it is saved. */
const PREVIEW = 20_000;
const MOST_MATCHES = 500;
/** Characters shown around a match. */
const AROUND = 80;

/** Only this turn of the session. */
export const turnParam: z.ZodOptional<z.ZodString> = z
  .string()
  .regex(/^T\d{4,}$/)
  .optional();

/** What one does with a session: go on with it, hand it to another agent, share it, find something in it. */
export function actingRoutes(api: Api, served: AnswerContext): void {
  const { daybook } = served;

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/resume",
    summary: "The agent's own command that takes the session up again, or why there is none",
    params: sessionParams,
    answer: "ResumeView",
    ask: ({ params }) => daybook.resume(keyOfSession(params.source, params.session)),
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/resume/open",
    method: "post",
    summary: "Takes the session up again in the terminal that the settings name; only Daybook's own page may ask",
    params: sessionParams,
    answer: "ResumeOpened",
    ask: async ({ params }) => {
      const view = await daybook.resume(keyOfSession(params.source, params.session));
      const { terminal } = served;
      if (terminal === null || view.command === null) return { ...view, opened: false };
      await openIn(terminal, view.command);
      return { ...view, opened: true };
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/handoff",
    summary: "A brief from which another agent can continue",
    params: sessionParams,
    query: z.object({
      turn: turnParam.openapi({ description: "The state at the end of this turn" }),
      to: z.string().max(40).optional().openapi({ description: "The agent it is for" }),
      budget: z.coerce.number().int().min(1).max(100_000).optional().openapi({ description: "At most so many tokens" }),
    }),
    answer: "Handoff",
    ask: ({ params, query, redact }) => {
      const { turn, ...how } = query;
      const name = keyOfSession(params.source, params.session);
      return daybook.handoff(turn === undefined ? name : turnKeyIn(name, turn), { ...how, redact });
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/share",
    summary: "What a shared session or turn would contain, before it is saved",
    params: sessionParams,
    query: z.object({ turn: turnParam }),
    answer: "SharePreview",
    ask: async ({ params, query }) => {
      const shared = await readShared(daybook, keyOfSession(params.source, params.session), query.turn);
      const text = renderSessionMarkdown(shared.head, shared, shared.records);
      const hidden = [...JSON.stringify(shared.records).matchAll(/\[redacted:[a-z0-9-]+\]/g)].length;
      return {
        requests: shared.turns.length,
        tool_calls: shared.records.filter(({ type }) => type === "tool_started").length,
        files: new Set(shared.turns.flatMap(({ files }) => (files ?? []).map(({ path }) => path))).size,
        hidden,
        notes: shared.notes,
        text: text.slice(0, PREVIEW),
        is_cut: text.length > PREVIEW,
      };
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/find",
    summary: "Where a text occurs in a session, word for word, in order",
    params: sessionParams,
    query: z.object({ q: z.string().min(1).max(500) }),
    answer: "SessionMatches",
    ask: async ({ params, query, redact }) => {
      const wanted = query.q.toLowerCase();
      const outline = await inside(daybook).outline(keyOfSession(params.source, params.session));
      const matches: SessionMatch[] = [];
      let total = 0;
      for (const one of outline.read(outline.seqs())) {
        const found = matchIn(redact ? daybook.redactor.all(one) : one, wanted);
        if (found === null) continue;
        total += 1;
        if (matches.length < MOST_MATCHES) matches.push(found);
      }
      return { matches, total };
    },
  });
}

function matchIn(record: LogRecord, wanted: string): SessionMatch | null {
  for (const text of textsOf(record)) {
    const at = text.toLowerCase().indexOf(wanted);
    if (at === -1) continue;
    const snippet = text.slice(Math.max(0, at - AROUND), at + wanted.length + AROUND).replaceAll(/\s+/g, " ");
    const { turn_id: turn_ref = null, origin } = record;
    return { turn_ref, line: origin.line ?? origin.row ?? null, snippet };
  }
  return null;
}

/** What a reader of the session sees of a record. */
function textsOf(record: LogRecord): string[] {
  switch (record.type) {
    case "user":
    case "reasoning_finished":
      return [record.text];
    case "assistant_finished":
      return [saidIn(record)];
    case "tool_started":
      return stringsIn(record.input);
    case "tool_finished":
      return [record.output ?? "", record.error ?? ""];
    case "failed":
      return [record.message];
    default:
      return [];
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
