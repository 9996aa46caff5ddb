import type { CommitView, FileView } from "../blame/file-view.ts";
import { blameTarget } from "../blame/target.ts";
import type { BlameView } from "../blame/view.ts";
import type { AnswerContext } from "../answer-context.ts";
import { blame as blameIn } from "../blaming.ts";
import { commitHistory, fileHistory } from "../history.ts";
import type { BlameQuery } from "../questions.ts";
import { WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

/** The directory that names are relative to, and whether secrets are shown. */
type Place = Pick<BlameQuery, "cwd" | "redact">;

export const blame: Question<{}, BlameView, BlameQuery & { target: string }> = {
  name: "blame",
  about: "which request wrote each line of a file: `FILE[:LINE[-LINE]]`, relative to a directory",
  query: {},
  answer: "blame",
  ask: async (ctx, { target, cwd = process.cwd(), revision, redact }) =>
    hidden(ctx, redact, await blameIn(ctx, { ...blameTarget(target, cwd), revision })),
};

export const file: Question<Where, FileView, Place & { path: string }> = {
  name: "file",
  about: "the turns that touched a file, under any of its names, in order of time",
  query: WHERE,
  answer: "file",
  notInStore: "records",
  ask: async (ctx, { path, cwd = process.cwd(), redact, ...query }) =>
    hidden(ctx, redact, await fileHistory(ctx, { ...blameTarget(path, cwd), lines: null }, query)),
};

export const commits: Question<{}, CommitView[], Place & { range: string }> = {
  name: "commits",
  about: "the turns behind a commit, or each commit of a range: those that made it, and those that wrote its lines",
  query: {},
  answer: "commit",
  ask: async (ctx, { range, cwd = process.cwd(), redact }) =>
    hidden(ctx, redact, await commitHistory(ctx, range, blameTarget(".", cwd).path)),
};

function hidden<T>({ redactor }: AnswerContext, redact: boolean | undefined, view: T): T {
  return redact === false ? view : redactor.all(view);
}
