import type { AnswerContext } from "../answer-context.ts";
import type { Demand, Engine } from "../engine.ts";
import type { Answers } from "../json.ts";
import type { FieldTable, QueryOf } from "../../views/query/field.ts";

/** A question that is asked with `Query` and answered with `Answer`. */
export interface Asked<Query, Answer> {
  readonly name: string;
  /** What it answers, in a few words. */
  readonly about: string;
  /** What its query may say at a door. */
  readonly query: FieldTable;
  /** The command that prints the answer: its schema in docs/schema/answers.v1.schema.json. Null: no command does. */
  readonly answer: keyof Answers | null;
  /** What a team store does not have, if the answer from one would be misleading. */
  readonly notInStore?: string;
  /** What has to be there before it is asked; everything if absent. */
  readonly needs?: (query: Query, engine: Engine) => Demand | Promise<Demand>;
  readonly ask: (ctx: AnswerContext, query: Query, demand: Demand) => Promise<Answer>;
}

/**
 * One question, for every door. `More`: what only the library says, or each door in its own way, such as the words of a
 * search.
 */
export interface Question<Fields extends FieldTable, Answer, More = unknown> extends Asked<
  QueryOf<Fields> & More,
  Answer
> {
  readonly query: Fields;
}

/** What a question is asked with, and its answer. */
export type AskedWith<One> = One extends Asked<infer Query, infer Answer> ? { query: Query; answer: Answer } : never;

/** Asks it of a Daybook's engine. */
export async function askQuestion<Query, Answer>(
  engine: Engine,
  { notInStore, needs, ask }: Asked<Query, Answer>,
  query: Query,
): Promise<Answer> {
  if (notInStore !== undefined) engine.refuseStore(notInStore);
  const demand = (await needs?.(query, engine)) ?? {};
  return engine.ask((ctx) => ask(ctx, query, demand), demand);
}
