import { DaybookError } from "../base/errors.ts";

export interface BodyLimits {
  /** Maximum size of one line, and of the whole body, in bytes. */
  longest: number;
  most: number;
  /** How long the next bytes may take, in ms. */
  patience: number;
}

/** Limits for bodies sent to a server: a client that sends nothing must not hold a connection. */
const SENT: BodyLimits = { longest: 16 * 1024 * 1024, most: 256 * 1024 * 1024, patience: 20_000 };
const SENT_WHOLE: BodyLimits = { ...SENT, most: 1024 * 1024 };

export class TooLarge extends DaybookError {
  constructor(message: string) {
    super(message, { code: "invalid", op: "send rows" });
  }
}

/** The lines of a body, as they arrive. */
export async function* linesOf(
  body: ReadableStream<Uint8Array> | null,
  limits: BodyLimits = SENT,
): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body, limits)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield textOf([...pieces, chunk.subarray(from, end)]);
      [pieces, length, from] = [[], 0, end + 1];
    }
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > limits.longest) throw new TooLarge("a line is too long");
  }
  if (length > 0) yield textOf(pieces);
}

/** The whole body, for small bodies. */
export async function wholeText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunksOf(body, SENT_WHOLE)) pieces.push(chunk);
  return textOf(pieces);
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString("utf8");
}

async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  { most, patience }: BodyLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  let sum = 0;
  try {
    for (;;) {
      // A client that disconnects is not an error of ours.
      const { done, value } = await withTimeout(reader.read().catch(cutOff), patience, "no data arrived in time");
      if (done) return;
      sum += value.length;
      if (sum > most) throw new TooLarge("the request is too large");
      yield value;
    }
  } finally {
    // Cancels the body when the consumer stops, so that the rest is not sent.
    await reader.cancel().catch(() => undefined);
  }
}

function cutOff(cause: unknown): never {
  throw new DaybookError("the connection was interrupted", { code: "invalid", op: "send rows", cause });
}

/** Rejects if the promise is not settled in time. */
export async function withTimeout<T>(promise: Promise<T>, patience: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DaybookError(message, { code: "invalid", op: "send rows" })), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
