import { doctor, labels, marked } from "./book.ts";
import { blame, commits, file } from "./code.ts";
import { audit, cited, context, decisions, lost, report } from "./days.ts";
import { commands, files, sessions, tools, turns } from "./lists.ts";
import { explain, find, handoff, resume } from "./one-session.ts";
import { recall, search } from "./texts.ts";
import { blocks, limits, usage } from "./usage.ts";

/** Every question that can be asked, by name. */
export interface Questions {
  sessions: typeof sessions;
  turns: typeof turns;
  tools: typeof tools;
  commands: typeof commands;
  files: typeof files;
  usage: typeof usage;
  blocks: typeof blocks;
  limits: typeof limits;
  report: typeof report;
  cited: typeof cited;
  context: typeof context;
  decisions: typeof decisions;
  lost: typeof lost;
  audit: typeof audit;
  search: typeof search;
  recall: typeof recall;
  find: typeof find;
  explain: typeof explain;
  resume: typeof resume;
  handoff: typeof handoff;
  blame: typeof blame;
  file: typeof file;
  commits: typeof commits;
  marked: typeof marked;
  labels: typeof labels;
  doctor: typeof doctor;
}

export const QUESTIONS: Questions = {
  sessions,
  turns,
  tools,
  commands,
  files,
  usage,
  blocks,
  limits,
  report,
  cited,
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
export type QueryFor<Name extends QuestionName> = Parameters<Questions[Name]["ask"]>[1];
/** Its answer. */
export type AnswerTo<Name extends QuestionName> = Awaited<ReturnType<Questions[Name]["ask"]>>;
