import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook } from "../../src/daybook.ts";
import { ChangeListeners } from "../../src/http/change-listeners.ts";
import type { RunningServer } from "../../src/http/listen.ts";
import { serveDaybook } from "../../src/http/server.ts";
import { A, E, M, R, TC, write } from "../cases/build.ts";
import { scratch } from "../store/fixture.ts";

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

describe("whoever asks on a socket", () => {
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
      token: null,
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

  /** Says something and hears all that is answered until the server hangs up. */
  async function said(text: string, then?: (socket: Socket) => void): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    let heard = "";
    socket.on("data", (chunk) => (heard += String(chunk)));
    // Who is hung up on while still talking is told by an error.
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(text);
    then?.(socket);
    await new Promise((resolve) => socket.once("close", resolve));
    return heard;
  }
  const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  const host = (): string => `Host: 127.0.0.1:${port}\r\n`;

  it("and never ends the headers is hung up on", async () => {
    expect(status(await said(`GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1:`))).toBe(408);
  });

  it("and never ends the body is refused, or hung up on", async () => {
    const headers = `${host()}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`;
    expect([403, 408]).toContain(status(await said(`POST /api/sync HTTP/1.1\r\n${headers}`)));
  });

  it.each(["Content-Length: 1000000000", "Transfer-Encoding: chunked"])(
    "and sends a gigabyte is refused before it is read (%s)",
    async (length) => {
      for (const method of ["POST", "GET"]) {
        const question = `${method} /api/sync HTTP/1.1\r\n${host()}Content-Type: application/json\r\n${length}\r\n\r\n`;
        const answer = await said(question);
        expect(status(answer), method).toBe(413);
        expect(answer).toContain("problem+json");
        // Whoever goes on sending all the same is hung up on.
        let sent = 0;
        await said(question, (socket) => {
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

  it("and names another host, no host, or a path of the disk is told no", async () => {
    const ask = (path: string, headers: string): Promise<string> =>
      said(`GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
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
    expect(status(await said(`POST /api/sync HTTP/1.1\r\n${form}`))).toBe(415);
  });
});

it("reads no file of an agent while nothing is written to it, however often it looks", async () => {
  const root = scratch("idle");
  const daybook = daybookOf(root);
  await daybook.sync();
  const [opened, looked]: [string[], string[]] = [[], []];
  const { openSync, statSync } = fs;
  const note = <T extends (path: fs.PathLike, ...rest: never[]) => unknown>(list: string[], real: T): T =>
    ((path: fs.PathLike, ...rest: never[]) => {
      if (String(path).startsWith(root)) list.push(String(path));
      return real(path, ...rest);
    }) as T;
  Object.assign(fs, { openSync: note(opened, openSync), statSync: note(looked, statSync as never) });
  syncBuiltinESMExports();
  const heard: unknown[] = [];
  const changes = new ChangeListeners(daybook, (error) => heard.push(error));
  const leave = changes.listen((event) => heard.push(event));
  try {
    // The first look may read what nobody read yet; it is those after it that must not.
    await expect
      .poll(() => looked.filter((path) => path.endsWith(".jsonl")).length, { timeout: 600_000 })
      .toBeGreaterThan(1);
    opened.length = looked.length = 0;
    await expect
      .poll(() => looked.filter((path) => path.endsWith(".jsonl")).length, { timeout: 600_000 })
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
