import type { AnswerContext } from "../answer-context.ts";
import type { Demand, Engine } from "../engine.ts";
import type { Answers } from "../json.ts";
import type { Asked, FieldTable } from "../../views/query/field.ts";

/**
 * One question, for every door. `Fields` are what its query may say at a door; the query may hold more that only the
 * library says, or each door in its own way: the words of a search, a file.
 */
export interface Question<Fields extends FieldTable, Types extends Asked> {
  readonly name: string;
  /** What it answers, in a few words. */
  readonly about: string;
  readonly query: Fields;
  /** The command that prints the answer: its schema in docs/schema/answers.v1.schema.json. Null: no command does. */
  readonly answer: keyof Answers | null;
  /** What a team store does not have, if the answer from one would be misleading. */
  readonly notInStore?: string;
  /** What has to be there before it is asked; everything if absent. */
  readonly needs?: (query: Types["query"], engine: Engine) => Demand | Promise<Demand>;
  readonly ask: (ctx: AnswerContext, query: Types["query"], demand: Demand) => Promise<Types["answer"]>;
}

/** The types of a question. */
export type AskedWith<One> = One extends Question<infer _Fields, infer Types> ? Types : never;

/** Asks it of a Daybook's engine. */
export async function askQuestion<Types extends Asked>(
  engine: Engine,
  { notInStore, needs, ask }: Question<FieldTable, Types>,
  query: Types["query"],
): Promise<Types["answer"]> {
  if (notInStore !== undefined) engine.refuseStore(notInStore);
  const demand = (await needs?.(query, engine)) ?? {};
  return engine.ask((ctx) => ask(ctx, query, demand), demand);
}
