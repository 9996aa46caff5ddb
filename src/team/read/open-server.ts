import { DaybookError, messageOf } from "../../base/errors.ts";
import type { RemoteDemand, RemoteRows } from "../../answers/daybook.ts";
import { linesOf, type BodyLimits } from "../body-lines.ts";
import type { RetryOptions } from "../push/retry.ts";
import { isServerUrl, TeamServer, tokenFor } from "../server.ts";
import { demandQuery } from "./demand-query.ts";
import { ReceivedRows, ROWS_PATH, ROWS_TYPE } from "./row-lines.ts";

/** No limit on the total size or time, as long as data keeps arriving. */
const LIMITS: BodyLimits = { longest: 64 * 1024 * 1024, most: Infinity, patience: 60_000 };

export interface ServerQuestion extends RemoteDemand {
  url: string;
  settings: { token?: string };
  env: Readonly<Record<string, string | undefined>>;
  how?: RetryOptions;
  limits?: Partial<BodyLimits>;
}

/** Reads what a team's server has of the owner of the token, in one snapshot. */
export async function fromServer<T>(question: ServerQuestion, work: (rows: RemoteRows) => Promise<T>): Promise<T> {
  const { url, settings, env, how = { jitter: Math.random }, limits, ...about } = question;
  if (!isServerUrl(url))
    throw new DaybookError("a team's server needs https", {
      code: "usage",
      op: "read",
      hint: "use --store https://server; http:// works only for this machine",
    });
  const token = tokenFor("read", settings, env);
  const unanswered = "check the address, and that the server is running";
  const server = new TeamServer({ url, token, how, scope: "read", unanswered });
  const path = `${ROWS_PATH}?${demandQuery(about)}`;
  const { body, headers } = await server.ask(
    path,
    () => ({}),
    async (response) => response,
  );
  // A proxy in front of the server may answer instead, for example with a sign-in page.
  const type = headers.get("content-type") ?? "an unknown type";
  if (!type.startsWith(ROWS_TYPE)) {
    await body?.cancel();
    throw new DaybookError(`${server.name} does not send rows but ${type.slice(0, 80)}`, {
      code: "refused",
      op: "read",
      hint: "check that this is the base address of a team's server",
    });
  }
  const lines = linesFrom(body, server.name, { ...LIMITS, ...limits });
  try {
    return await work(new ReceivedRows(lines, server.name));
  } finally {
    // If not everything was read, the rest is not sent.
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
    throw new DaybookError(`${name} stopped sending: ${messageOf(error)}`, {
      code: "unreachable",
      op: "read",
      cause: error,
      hint: "try again",
    });
  }
}
