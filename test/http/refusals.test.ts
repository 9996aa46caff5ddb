import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { ChangeListeners } from "../../src/doors/http/routes/events.ts";
import type { RunningServer } from "../../src/doors/http/listen.ts";
import { serveDaybook } from "../../src/doors/http/server.ts";
import { A, E, M, R, TC, write } from "../cases/build.ts";
import { scratch } from "../store/fixture.ts";

const TOKEN = "token-of-the-user";
const ID = "019e0000-0000-7000-8000-000000000001";

function daybookOf(root: string): Daybook {
  write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${ID}.jsonl`), [
    M(ID),
    TC(),
    R("make it so"),
    E("make it so"),
    A("done"),
  ]);
  const env = { HOME: "/nowhere" };
  return new Daybook({ book: scratch("home"), roots: { codex: [root] }, timezone: "UTC", noSync: true, env });
}

describe("a raw connection to the server", () => {
  let serving: RunningServer | null = null;
  let daybook: Daybook | null = null;
  let port = 0;
  beforeAll(async () => {
    daybook = daybookOf(scratch("root"));
    await daybook.sync();
    serving = await serveDaybook({
      daybook,
      port: 0,
      host: "127.0.0.1",
      token: TOKEN,
      page: false,
      sample: false,
      slowest: 200,
      now: Date.now,
      failed: () => undefined,
    });
    port = Number(new URL(serving.url).port);
  });
  afterAll(async () => {
    await serving?.close();
    daybook?.close();
  });

  /** Sends text and returns everything received until the server closes the connection. */
  async function exchange(text: string, then?: (socket: Socket) => void): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    let heard = "";
    socket.on("data", (chunk) => (heard += String(chunk)));
    // A connection closed while still sending emits an error.
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(text);
    then?.(socket);
    await new Promise((resolve) => socket.once("close", resolve));
    return heard;
  }
  const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  const host = (): string => `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n`;

  it("that never ends the headers is closed with 408", async () => {
    expect(status(await exchange(`GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1:`))).toBe(408);
  });

  it("that never ends the body is refused with 403 or 408", async () => {
    const headers = `${host()}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`;
    expect([403, 408]).toContain(status(await exchange(`POST /api/sync HTTP/1.1\r\n${headers}`)));
  });

  it.each(["Content-Length: 1000000000", "Transfer-Encoding: chunked"])(
    "that announces a large body is refused with 413 before it is read (%s)",
    async (length) => {
      for (const method of ["POST", "GET"]) {
        const question = `${method} /api/sync HTTP/1.1\r\n${host()}Content-Type: application/json\r\n${length}\r\n\r\n`;
        const answer = await exchange(question);
        expect(status(answer), method).toBe(413);
        expect(answer).toContain("problem+json");
        // A client that keeps sending is disconnected.
        let sent = 0;
        await exchange(question, (socket) => {
          const chunk = Buffer.alloc(65_536, "{");
          const more = (): void => {
            if (socket.destroyed || sent > 100_000_000) return;
            sent += chunk.length;
            if (socket.write(chunk)) setImmediate(more);
            else socket.once("drain", more);
          };
          more();
        });
        expect(sent, method).toBeLessThan(20_000_000);
      }
    },
  );

  it("that names another host or origin, no host, or a path outside the API is refused", async () => {
    const ask = (path: string, headers: string): Promise<string> =>
      exchange(`GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    expect(status(await ask("/api/overview", host()))).toBe(200);
    expect(status(await ask("/api/overview", "Host: evil.example\r\n"))).toBe(421);
    expect(status(await ask("/api/overview", ""))).toBe(400);
    expect(status(await ask("/api/overview", `${host()}Origin: http://evil.example\r\n`))).toBe(403);
    for (const path of [
      "/../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "//etc/passwd",
      "/api/..%2f..%2fetc/passwd",
    ]) {
      const answer = await ask(path, host());
      expect([400, 404], path).toContain(status(answer));
      expect(answer, path).not.toContain("root:");
    }
    expect(status(await ask("http://evil.example/api/overview", host()))).toBe(421);
    expect(status(await ask(`/api/search?q=${"x".repeat(20_000)}`, host()))).toBe(431);
    const form = `${host()}Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    expect(status(await exchange(`POST /api/sync HTTP/1.1\r\n${form}`))).toBe(415);
  });
});

it("listening for changes opens no session file while nothing is written to it", async () => {
  const root = scratch("idle");
  const daybook = daybookOf(root);
  await daybook.sync();
  const [opened, checked]: [string[], string[]] = [[], []];
  const { openSync, statSync } = fs;
  const note = <T extends (path: fs.PathLike, ...rest: never[]) => unknown>(list: string[], real: T): T =>
    ((path: fs.PathLike, ...rest: never[]) => {
      if (String(path).startsWith(root)) list.push(String(path));
      return real(path, ...rest);
    }) as T;
  Object.assign(fs, { openSync: note(opened, openSync), statSync: note(checked, statSync as never) });
  syncBuiltinESMExports();
  const heard: unknown[] = [];
  const changes = new ChangeListeners(daybook, (error) => heard.push(error));
  const leave = changes.listen((event) => heard.push(event));
  try {
    // The first check may read what was not read yet; later ones must not.
    await expect
      .poll(() => checked.filter((path) => path.endsWith(".jsonl")).length, { timeout: 600_000 })
      .toBeGreaterThan(1);
    opened.length = checked.length = 0;
    await expect
      .poll(() => checked.filter((path) => path.endsWith(".jsonl")).length, { timeout: 600_000 })
      .toBeGreaterThan(3);
    expect(opened).toEqual([]);
    expect(heard).toEqual([]);
  } finally {
    leave();
    Object.assign(fs, { openSync, statSync });
    syncBuiltinESMExports();
    daybook.close();
  }
});
