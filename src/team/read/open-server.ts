import { DaybookError, messageOf } from "../../errors.ts";
import type { GivenDemand, GivenRows } from "../../daybook.ts";
import { linesOf, type BodyLimits } from "../body-lines.ts";
import type { RetryOptions } from "../push/retry.ts";
import { isServerUrl, TeamServer, tokenFor } from "../server.ts";
import { demandQuery } from "./demand-query.ts";
import { ReceivedRows, ROWS_PATH, ROWS_TYPE } from "./row-lines.ts";

/** All that a person has may come, however long it takes, as long as something comes. */
const LIMITS: BodyLimits = { longest: 64 * 1024 * 1024, most: Infinity, patience: 60_000 };

export interface ServerQuestion extends GivenDemand {
  url: string;
  settings: { token?: string };
  env: Readonly<Record<string, string | undefined>>;
  how?: RetryOptions;
  limits?: Partial<BodyLimits>;
}

/** Shows what a team's server has of the person whose token it is, all of one moment. */
export async function fromServer<T>(question: ServerQuestion, work: (rows: GivenRows) => Promise<T>): Promise<T> {
  const { url, settings, env, how = { jitter: Math.random }, limits, ...about } = question;
  if (!isServerUrl(url))
    throw new DaybookError("a team's server is asked over https alone", {
      ...{ code: "usage", op: "read", hint: "--store https://server; http:// only where it runs on this machine" },
    });
  const token = tokenFor("read", settings, env);
  const unanswered = "is the address right, and the server running?";
  const server = new TeamServer({ url, token, how, scope: "read", unanswered });
  const path = `${ROWS_PATH}?${demandQuery(about)}`;
  const { body, headers } = await server.ask(
    path,
    () => ({}),
    async (response) => response,
  );
  // Whoever stands in front of a server may answer for it, as with a page to sign in.
  const type = headers.get("content-type") ?? "nothing that says what it is";
  if (!type.startsWith(ROWS_TYPE)) {
    await body?.cancel();
    throw new DaybookError(`${server.name} sends no rows but ${type.slice(0, 80)}`, {
      ...{ code: "refused", op: "read", hint: "is it a team's server, and the address that of its beginning?" },
    });
  }
  const lines = linesFrom(body, server.name, { ...LIMITS, ...limits });
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
  limits: BodyLimits,
): AsyncGenerator<string, void, undefined> {
  try {
    yield* linesOf(body, limits);
  } catch (error) {
    throw new DaybookError(`${name} stopped in the middle: ${messageOf(error)}`, {
      ...{ code: "unreachable", op: "read", cause: error, hint: "ask again" },
    });
  }
}
