import type { AuditReport } from "../../views/audit-view.ts";
import type { DecisionView } from "../../views/decision-view.ts";
import type { LostPrompt } from "../../views/lost-view.ts";
import { audit as auditIn } from "../doctor.ts";
import { findLostPrompts } from "../texts.ts";
import { reportDemand } from "../need.ts";
import { cut, type ReportQuery } from "../questions.ts";
import { askedDecisions, context as contextIn, report as reportIn } from "../report.ts";
import type { ContextView } from "../report/context-view.ts";
import type { DayReport } from "../report/model.ts";
import { ONLY_SESSIONS, ONLY_TURNS } from "../../index/tables/remote-demand.ts";
import { ASKED, LIMIT, SPAN, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

/** Whether secrets are shown. */
type Redacted = Pick<ReportQuery, "redact">;

export const report: Question<Where & typeof SPAN, DayReport, Redacted> = {
  name: "report",
  about: "the report of a day, a week or any span of days; the newest day with work when none is named",
  query: { ...WHERE, ...SPAN },
  answer: "report",
  needs: async (query, engine) => ({
    files: engine.needs.ofReport(query, engine.now),
    store: await reportDemand(engine, query),
  }),
  ask: (ctx, query) => reportIn(ctx, query),
};

export const context: Question<Where & typeof LIMIT, ContextView[], Redacted> = {
  name: "context",
  about: "the settings of each turn (instructions, model, approval, sandbox, place), and where they changed",
  query: { ...WHERE, ...LIMIT },
  answer: "context",
  notInStore: "instructions and settings of turns",
  needs: () => ({ store: ONLY_TURNS }),
  ask: (ctx, query) => contextIn(ctx, query),
};

export const decisions: Question<Where & typeof ASKED & typeof LIMIT, DecisionView[]> = {
  name: "decisions",
  about: "the questions agents asked the human, in order of time; with a limit, the newest",
  query: { ...WHERE, ...ASKED, ...LIMIT },
  answer: "decisions",
  needs: (query, engine) => engine.inDays(["asked"], query),
  ask: async (ctx, query) => {
    const all = (await askedDecisions(ctx, query)).map(({ decision }) => decision);
    const listed = query.unanswered === true ? all.filter((decision) => !decision.answered) : all;
    return query.limit === undefined ? listed : listed.slice(-query.limit);
  },
};

export const lost: Question<Where & typeof LIMIT, LostPrompt[]> = {
  name: "lost",
  about: "prompts that only an agent's input history has, newest first",
  query: { ...WHERE, ...LIMIT },
  answer: "sessions --lost",
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: async (ctx, query) => {
    const found = findLostPrompts(ctx, query, ctx.range(query), ctx.index.queries.transcripts());
    return cut(found, query.limit);
  },
};

export const audit: Question<Where, AuditReport> = {
  name: "audit",
  about: "the balance of every session that is partly within the span: each record and token has one owner",
  query: WHERE,
  answer: "audit",
  notInStore: "records",
  needs: () => ({ store: { lists: ["facts", "responses"] } }),
  ask: (ctx, query) => auditIn(ctx, query),
};
