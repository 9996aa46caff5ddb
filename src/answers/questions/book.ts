import { noBookForMarksError, type AnswerContext } from "../answer-context.ts";
import { type BookHealth, doctor as doctorIn } from "../doctor.ts";
import type { Demand, Engine } from "../engine.ts";
import { labelCounts, markedViews, type LabelCount, type MarkedView } from "../marking.ts";
import type { DoctorReport } from "../../book/reading/doctor.ts";
import { ONLY_SESSIONS } from "../../index/tables/remote-demand.ts";
import type { Asked, QueryOf } from "../../views/query/field.ts";
import { LIMIT, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

export interface MarkedAsked extends Asked {
  query: QueryOf<Where & typeof LIMIT>;
  answer: MarkedView[];
}

export const marked: Question<Where & typeof LIMIT, MarkedAsked> = {
  name: "marked",
  about: "every marked session and turn; the most recently started sessions first",
  query: { ...WHERE, ...LIMIT },
  answer: "star",
  needs: (_, engine) => marksOf(engine),
  ask: async (ctx, query) => markedViews(ctx, query),
};

export interface LabelsAsked extends Asked {
  query: QueryOf<Where & typeof LIMIT>;
  answer: LabelCount[];
}

export const labels: Question<Where & typeof LIMIT, LabelsAsked> = {
  name: "labels",
  about: "all labels, and the number of sessions and turns that have each",
  query: { ...WHERE, ...LIMIT },
  answer: "label",
  needs: (_, engine) => marksOf(engine),
  ask: async (ctx, query) => labelCounts(markedViews(ctx, query)),
};

/** Marks are kept in the book alone. */
function marksOf({ options }: Engine): Demand {
  if (options.book === undefined) throw noBookForMarksError(options);
  return {};
}

export interface DoctorAsked extends Asked {
  query: {};
  answer: DoctorReport & { book: BookHealth | null };
}

export const doctor: Question<{}, DoctorAsked> = {
  name: "doctor",
  about: "sources, versions, format drift, the book, and what could not be read",
  query: {},
  answer: "doctor",
  notInStore: "the agents' files and the book",
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: (ctx: AnswerContext) => doctorIn(ctx),
};
