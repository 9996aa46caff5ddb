import { doctor, labels, marked } from "./book.ts";
import { blame, commits, file } from "./code.ts";
import { audit, context, decisions, lost, report } from "./days.ts";
import { commands, files, sessions, tools, turns } from "./lists.ts";
import { explain, find, handoff, resume } from "./one-session.ts";
import type { Asked, AskedWith } from "./question.ts";
import { recall, search } from "./texts.ts";
import { blocks, limits, usage } from "./usage.ts";

/** What every question is asked with, and its answer, by name. */
export interface Questions {
  sessions: AskedWith<typeof sessions>;
  turns: AskedWith<typeof turns>;
  tools: AskedWith<typeof tools>;
  commands: AskedWith<typeof commands>;
  files: AskedWith<typeof files>;
  usage: AskedWith<typeof usage>;
  blocks: AskedWith<typeof blocks>;
  limits: AskedWith<typeof limits>;
  report: AskedWith<typeof report>;
  context: AskedWith<typeof context>;
  decisions: AskedWith<typeof decisions>;
  lost: AskedWith<typeof lost>;
  audit: AskedWith<typeof audit>;
  search: AskedWith<typeof search>;
  recall: AskedWith<typeof recall>;
  find: AskedWith<typeof find>;
  explain: AskedWith<typeof explain>;
  resume: AskedWith<typeof resume>;
  handoff: AskedWith<typeof handoff>;
  blame: AskedWith<typeof blame>;
  file: AskedWith<typeof file>;
  commits: AskedWith<typeof commits>;
  marked: AskedWith<typeof marked>;
  labels: AskedWith<typeof labels>;
  doctor: AskedWith<typeof doctor>;
}

export const QUESTIONS: { readonly [Name in QuestionName]: Asked<QueryFor<Name>, AnswerTo<Name>> } = {
  sessions,
  turns,
  tools,
  commands,
  files,
  usage,
  blocks,
  limits,
  report,
  context,
  decisions,
  lost,
  audit,
  search,
  recall,
  find,
  explain,
  resume,
  handoff,
  blame,
  file,
  commits,
  marked,
  labels,
  doctor,
};

export type QuestionName = keyof Questions;
/** What a question may be asked with. */
export type QueryFor<Name extends QuestionName> = Questions[Name]["query"];
/** Its answer. */
export type AnswerTo<Name extends QuestionName> = Questions[Name]["answer"];
