import { DaybookError } from "../../errors.ts";

/** Of one line, and of all that is sent with a request, in bytes. */
const LONGEST = 16 * 1024 * 1024;
const MOST = 256 * 1024 * 1024;
const MOST_WHOLE = 1024 * 1024;
/** How long the next bytes may take, in ms: who sends nothing holds nothing. */
const PATIENCE = 20_000;

export class TooLarge extends DaybookError {
  constructor(message: string) {
    super(message, { code: "invalid", op: "push" });
  }
}

/** The lines of what is sent, as they come. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body, MOST)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield textOf([...pieces, chunk.subarray(from, end)]);
      [pieces, length, from] = [[], 0, end + 1];
    }
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST) throw new TooLarge("a line of it is too long");
  }
  if (length > 0) yield textOf(pieces);
}

/** Everything, where little is expected. */
export async function wholeText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunksOf(body, MOST_WHOLE)) pieces.push(chunk);
  return textOf(pieces);
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString("utf8");
}

async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  let sum = 0;
  try {
    for (;;) {
      // Whoever goes away in the middle is no fault of ours.
      const { done, value } = await inTime(reader.read().catch(cutOff));
      if (done) return;
      sum += value.length;
      if (sum > most) throw new TooLarge("it is too large");
      yield value;
    }
  } finally {
    // Whoever stops listening says so: the rest is not sent.
    await reader.cancel().catch(() => undefined);
  }
}

function cutOff(cause: unknown): never {
  throw new DaybookError("it was cut off", { code: "invalid", op: "push", cause });
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DaybookError("nothing came for a while", { code: "invalid", op: "push" })),
      PATIENCE,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
