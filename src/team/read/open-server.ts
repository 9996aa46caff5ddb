import { DaybookError, messageOf } from "../../errors.ts";
import type { GivenRows } from "../../daybook.ts";
import { linesOf, type BodyLimits } from "../body-lines.ts";
import type { RetryOptions } from "../push/retry.ts";
import { isServerUrl, TeamServer, tokenFor } from "../server.ts";
import { ReceivedRows, ROWS_PATH } from "./row-lines.ts";
import type { StoreDemand } from "./store-rows.ts";

/** All that a person has may come, however long it takes, as long as something comes. */
const LIMITS: BodyLimits = { longest: 256 * 1024 * 1024, most: Infinity, patience: 60_000 };

export interface ServerQuestion extends StoreDemand {
  url: string;
  settings: { token?: string };
  env: Readonly<Record<string, string | undefined>>;
  how?: RetryOptions;
}

/** Shows what a team's server has of the person whose token it is, all of one moment. */
export async function fromServer<T>(question: ServerQuestion, work: (rows: GivenRows) => Promise<T>): Promise<T> {
  const { url, settings, env, withCalls, words, how = { jitter: Math.random } } = question;
  if (!isServerUrl(url))
    throw new DaybookError("a team's server is asked over https alone", {
      ...{ code: "usage", op: "read", hint: "--store https://server; http:// only where it runs on this machine" },
    });
  const token = tokenFor("read", settings, env);
  const unanswered = "is the address right, and the server running?";
  const server = new TeamServer({ url, token, how, scope: "read", unanswered });
  const query = new URLSearchParams({ calls: String(withCalls), ...(words === undefined ? {} : { words }) });
  const path = `${ROWS_PATH}?${query.toString()}`;
  const { body } = await server.ask(
    path,
    () => ({}),
    async (response) => response,
  );
  const lines = linesFrom(body, server.name);
  try {
    return await work(new ReceivedRows(lines, server.name));
  } finally {
    // Where not all was read, the rest is not sent.
    await lines.return();
  }
}

async function* linesFrom(
  body: ReadableStream<Uint8Array> | null,
  name: string,
): AsyncGenerator<string, void, undefined> {
  try {
    yield* linesOf(body, LIMITS);
  } catch (error) {
    throw new DaybookError(`${name} stopped in the middle: ${messageOf(error)}`, {
      ...{ code: "unreachable", op: "read", cause: error, hint: "ask again" },
    });
  }
}
