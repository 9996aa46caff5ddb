import { sessions, turns, tools, commands, files } from "./lists.ts";
import { usage, blocks, limits, type UsageAsked, type BlocksAsked, type LimitsAsked } from "./usage.ts";
import {
  report,
  cited,
  context,
  decisions,
  lost,
  audit,
  type ReportAsked,
  type CitedAsked,
  type ContextAsked,
  type DecisionsAsked,
  type LostAsked,
  type AuditAsked,
} from "./days.ts";
import { search, recall, type SearchAsked, type RecallAsked } from "./texts.ts";
import {
  find,
  explain,
  resume,
  handoff,
  type FindAsked,
  type ExplainAsked,
  type ResumeAsked,
  type HandoffAsked,
} from "./one-session.ts";
import { blame, file, commits, type BlameAsked, type FileAsked, type CommitsAsked } from "./code.ts";
import { marked, labels, doctor, type MarkedAsked, type LabelsAsked, type DoctorAsked } from "./book.ts";
import type { AskedWith, Question } from "./question.ts";
import type { FieldTable } from "../../views/query/field.ts";

/** What every question is asked with, and its answer, by name. */
export interface Questions {
  sessions: AskedWith<typeof sessions>;
  turns: AskedWith<typeof turns>;
  tools: AskedWith<typeof tools>;
  commands: AskedWith<typeof commands>;
  files: AskedWith<typeof files>;
  usage: UsageAsked;
  blocks: BlocksAsked;
  limits: LimitsAsked;
  report: ReportAsked;
  cited: CitedAsked;
  context: ContextAsked;
  decisions: DecisionsAsked;
  lost: LostAsked;
  audit: AuditAsked;
  search: SearchAsked;
  recall: RecallAsked;
  find: FindAsked;
  explain: ExplainAsked;
  resume: ResumeAsked;
  handoff: HandoffAsked;
  blame: BlameAsked;
  file: FileAsked;
  commits: CommitsAsked;
  marked: MarkedAsked;
  labels: LabelsAsked;
  doctor: DoctorAsked;
}

export const QUESTIONS: { readonly [Name in QuestionName]: Question<FieldTable, Questions[Name]> } = {
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
export type QueryFor<Name extends QuestionName> = Questions[Name]["query"];
/** Its answer. */
export type AnswerTo<Name extends QuestionName> = Questions[Name]["answer"];
