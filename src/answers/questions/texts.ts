import type { RecallAnswer } from "../../index/search/recall/model.ts";
import { ONLY_TURNS } from "../../index/tables/remote-demand.ts";
import { parseRange } from "../../base/time/range.ts";
import { KINDS, LIMIT, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";
import {
  searchQuestion,
  recallTurns,
  type QuestionFound,
  textDemand,
  type TextQuery,
  type RecallOptions,
  searchTexts,
} from "../texts.ts";

/** What is searched for, and whether all matches are counted. */
type Searched = Pick<TextQuery, "redact"> & {
  words: string;
  /** False leaves `total` null. */
  isCounted?: boolean | undefined;
  /** Also what recall finds, with other wordings of the question; `words` of a recall is `likely` here. */
  byMeaning?: (Pick<RecallOptions, "cwd" | "also"> & { likely?: readonly string[] | undefined }) | undefined;
};

/** `meaning` of the answer is null unless it was asked for. */
export const search: Question<Where & typeof KINDS & typeof LIMIT, QuestionFound, Searched> = {
  name: "search",
  about: "full-text search: the best matches, 20 by default, and their total number; null for thousands",
  query: { ...WHERE, ...KINDS, ...LIMIT },
  answer: "search",
  needs: (query, { options, zone, now }) => ({
    store: options.remote
      ? textDemand(query.words, query, parseRange(query, zone, now), options.sources)
      : { ...ONLY_TURNS, words: query.words },
  }),
  ask: async (ctx, { words, isCounted = true, byMeaning, ...query }) => {
    if (!byMeaning) return { ...(await searchTexts(ctx, words, query, isCounted)), meaning: null };
    const { likely, ...more } = byMeaning;
    return searchQuestion(ctx, words, { ...query, ...more, words: likely }, isCounted);
  },
};

export const recall: Question<Where & typeof LIMIT, RecallAnswer, RecallOptions & { question: string }> = {
  name: "recall",
  about: "the turns that best answer a question in any words, five by default, and whether any of them answers it",
  query: { ...WHERE, ...LIMIT },
  answer: "recall",
  needs: ({ question }, { isOfStore }) => ({ store: isOfStore ? {} : { ...ONLY_TURNS, words: question } }),
  ask: (ctx, { question, ...options }) => recallTurns(ctx, question, options),
};
