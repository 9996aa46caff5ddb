import { noBookForMarksError, type AnswerContext } from "../answer-context.ts";
import { doctor as doctorIn, type DoctorAnswer } from "../doctor.ts";
import type { Demand, Engine } from "../engine.ts";
import { labelCounts, markedViews, type LabelCount, type MarkedView } from "../marking.ts";
import { ONLY_SESSIONS } from "../../index/tables/remote-demand.ts";
import { LIMIT, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

export const marked: Question<Where & typeof LIMIT, MarkedView[]> = {
  name: "marked",
  about: "every marked session and turn; the most recently started sessions first",
  query: { ...WHERE, ...LIMIT },
  answer: "mark star",
  needs: (_, engine) => marksOf(engine),
  ask: async (ctx, query) => markedViews(ctx, query),
};

export const labels: Question<Where & typeof LIMIT, LabelCount[]> = {
  name: "labels",
  about: "all labels, and the number of sessions and turns that have each",
  query: { ...WHERE, ...LIMIT },
  answer: "mark label",
  needs: (_, engine) => marksOf(engine),
  ask: async (ctx, query) => labelCounts(markedViews(ctx, query)),
};

/** Marks are kept in the book alone. */
function marksOf({ options }: Engine): Demand {
  if (options.book === undefined) throw noBookForMarksError(options);
  return {};
}

export const doctor: Question<{}, DoctorAnswer> = {
  name: "doctor",
  about: "sources, versions, format drift, the book, and what could not be read",
  query: {},
  answer: "doctor",
  notInStore: "the agents' files and the book",
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: (ctx: AnswerContext) => doctorIn(ctx),
};
