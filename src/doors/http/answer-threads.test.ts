import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { scratch } from "../../../test/store/fixture.ts";
import { AnswerThreads, BusyError } from "./answer-threads.ts";

/**
 * A thread that answers with the path it was asked, how many questions it has answered and the headers it was given.
 * `/wait` waits until the number in shared memory is 1; `/die` ends it.
 */
const THREAD = `
import { parentPort, workerData } from "node:worker_threads";
const gate = new Int32Array(workerData.daybook.gate);
let answered = 0;
parentPort.on("message", (question) => {
  if (question === null) return parentPort.close();
  const { url, headers, body } = question;
  const { pathname } = new URL(url);
  if (pathname === "/die") process.exit(1);
  if (pathname === "/wait") Atomics.wait(gate, 0, 0);
  const said = { pathname, answered: ++answered, headers, body: body && Buffer.from(body).toString() };
  const bytes = new TextEncoder().encode(JSON.stringify(said));
  parentPort.postMessage({ status: 200, headers: [["content-type", "application/json"]], body: bytes.buffer });
});
`;

interface Said {
  pathname: string;
  answered: number;
  headers: [string, string][];
  body: string | null;
}

let open: AnswerThreads | null = null;
let gate = new Int32Array(new SharedArrayBuffer(4));
let time = 0;
afterEach(async () => {
  letGo();
  await open?.close();
});

function threads(most: number): AnswerThreads {
  const path = join(scratch("threads"), "thread.mjs");
  writeFileSync(path, THREAD);
  gate = new Int32Array(new SharedArrayBuffer(4));
  time = 0;
  const data = { daybook: { gate: gate.buffer } as never, sample: false, pageToken: "", terminal: null, modules: [] };
  open = new AnswerThreads({ program: pathToFileURL(path), data, threads: most, clock: () => time });
  return open;
}

/** Answers every `/wait`. */
function letGo(): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

async function ask(pool: AnswerThreads, path: string, init: RequestInit = {}, state = 1): Promise<Said> {
  const seen = { state, freshness: "fresh", isSyncing: false } as const;
  const response = await pool.answer(new Request(`http://127.0.0.1${path}`, init), seen);
  return (await response.json()) as Said;
}

describe("questions answered in threads", () => {
  it("share one answer if they are the same and asked meanwhile, and only then", async () => {
    const pool = threads(1);
    const same = Array.from({ length: 20 }, () => ask(pool, "/wait"));
    const other = ask(pool, "/wait?other");
    letGo();
    expect(new Set((await Promise.all(same)).map(({ answered }) => answered))).toEqual(new Set([1]));
    expect((await other).answered).toBe(2);
    expect((await ask(pool, "/wait")).answered).toBe(3);
  });

  it("do not share an answer that was begun before something changed", async () => {
    const pool = threads(1);
    const both = [ask(pool, "/wait", {}, 1), ask(pool, "/wait", {}, 2)];
    letGo();
    expect((await Promise.all(both)).map(({ answered }) => answered)).toEqual([1, 2]);
  });

  it("do not share an answer if one may see secrets and the other may not", async () => {
    const pool = threads(1);
    const both = [ask(pool, "/wait"), ask(pool, "/wait", { headers: { "x-daybook-reveal": "yes" } })];
    letGo();
    expect((await Promise.all(both)).map(({ answered }) => answered)).toEqual([1, 2]);
  });

  it("pass on the body of a request, and no header that holds a token", async () => {
    const headers = { authorization: "Bearer x", cookie: "y", "x-daybook-token": "z", accept: "text/html" };
    const said = await ask(threads(1), "/mcp", { method: "POST", body: "{}", headers });
    expect(said.body).toBe("{}");
    expect(said.headers.map(([name]) => name).toSorted()).toEqual(["accept", "content-type"]);
  });

  it("are refused when too many wait", async () => {
    const pool = threads(1);
    const asked = Array.from({ length: 400 }, (_, i) => ask(pool, `/wait?${i}`));
    letGo();
    const ends = await Promise.allSettled(asked);
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused.length).toBe(400 - 256 - 1);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(BusyError);
  });

  it("are refused when they waited too long", async () => {
    const pool = threads(1);
    const first = ask(pool, "/wait");
    const late = ask(pool, "/late");
    const refusal = expect(late).rejects.toBeInstanceOf(BusyError);
    time = 1501;
    letGo();
    await first;
    await refusal;
    // Questions asked afterwards are answered.
    expect((await ask(pool, "/next")).pathname).toBe("/next");
  });

  it("fail alone if their thread ends; the next ones are answered by another", async () => {
    const pool = threads(1);
    await expect(ask(pool, "/die")).rejects.toThrow(/thread/);
    expect((await ask(pool, "/next")).answered).toBe(1);
  });

  it("are answered although slow ones wait: these never take all threads", async () => {
    const pool = threads(2);
    const slow = ask(pool, "/wait?1");
    time = 700;
    letGo();
    await slow;
    Atomics.store(gate, 0, 0);
    const both = [ask(pool, "/wait?2"), ask(pool, "/wait?3")];
    expect((await ask(pool, "/short")).pathname).toBe("/short");
    letGo();
    expect((await Promise.all(both)).length).toBe(2);
  });

  it("are answered by several threads at once", async () => {
    const pool = threads(2);
    const long = ask(pool, "/wait");
    expect((await ask(pool, "/short")).pathname).toBe("/short");
    letGo();
    await long;
  });
});
