import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scratch } from "../store/fixture.ts";

const program = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));

interface Running {
  process: ChildProcess;
  url: URL;
  ended: Promise<unknown>;
}

/** Starts the built program and waits for the address it prints. */
async function start(...flags: string[]): Promise<Running> {
  const home = scratch("server-home");
  const child = spawn(process.execPath, [program, "serve", "--port", "0", ...flags], {
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: tmpdir() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const address = /Daybook is at (\S+)/.exec(printed)?.[1];
    if (address !== undefined) return { process: child, url: new URL(address), ended };
  }
  throw new Error(`it printed no address: ${printed}`);
}

/** Resident memory as the operating system counts it. */
function residentMb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

describe("daybook serve", () => {
  let running: Running | null = null;
  let url = new URL("http://127.0.0.1");
  beforeAll(async () => {
    running = await start("--sample");
    ({ url } = running);
  });
  afterAll(() => running?.process.kill("SIGKILL"));

  it("serves the page and the API on the loopback address", async () => {
    expect(url.hostname).toBe("127.0.0.1");
    const page = await (await fetch(url)).text();
    expect(page).toContain("<title>Daybook</title>");
    // Data in the page is not executable.
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)(?! type="application\/json")/);
    // Every route of the page returns the page, so that it can be opened there.
    expect(await (await fetch(new URL("/session/codex/1", url))).text()).toContain("<title>Daybook</title>");
    const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(scripts.length).toBeGreaterThan(0);
    for (const path of scripts) expect((await fetch(new URL(path, url))).status).toBe(200);
    const overview = (await (await fetch(new URL("/api/overview", url))).json()) as { sample: boolean };
    expect(overview.sample).toBe(true);
    const document = (await (await fetch(new URL("/api/openapi.json", url))).json()) as { openapi: string };
    expect(document.openapi).toBe("3.1.0");
  });

  it("puts the first answers into the page, for the last day of the samples", async () => {
    const firstAnswers = async (): Promise<Record<string, unknown>> => {
      const page = await (await fetch(url)).text();
      const [, text = "{}"] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page) ?? [];
      return JSON.parse(text) as Record<string, unknown>;
    };
    // The samples are read while the page is already served.
    const { opens_on: day } = await vi.waitFor(
      async () => {
        const overview = (await firstAnswers())["/api/overview"] as {
          sessions: number;
          opens_on: string;
          today: string;
        };
        expect(overview.opens_on < overview.today).toBe(true);
        return overview;
      },
      { timeout: 60_000 },
    );
    const report = (await firstAnswers())[`/api/report?date=${day}`] as { totals: { turns: number } };
    expect(report.totals.turns).toBeGreaterThan(0);
  });

  it("does not use more memory after many requests", async () => {
    const pid = running?.process.pid ?? 0;
    const ask = async (times: number): Promise<void> => {
      const paths = ["/api/overview", "/api/now", "/api/days", "/api/sessions", "/api/report", "/api/search?q=tide"];
      for (let i = 0; i < times; i++) await (await fetch(new URL(paths[i % paths.length] ?? "", url))).arrayBuffer();
    };
    await ask(120);
    const before = residentMb(pid);
    await ask(360);
    expect(residentMb(pid)).toBeLessThan(before + 40);
    expect(residentMb(pid)).toBeLessThan(200);
  });

  it("serves no file outside the page's directory", async () => {
    for (const path of [
      "/assets/../../package.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/..%2f..%2fpackage.json",
    ]) {
      const { status, body } = await raw(url, path);
      expect(body, path).not.toContain('agent-daybook",');
      expect([200, 400, 404], path).toContain(status);
    }
  });

  it("refuses a body of a gigabyte before it is sent", async () => {
    const headers = { "content-type": "application/json", "content-length": 1_000_000_000 };
    const status = await new Promise((resolve, reject) => {
      const sent = request(new URL("/api/sync", url), { method: "POST", headers }, (answer) => {
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.write("{");
    });
    expect(status).toBe(413);
  });

  it("exits on SIGTERM and leaves no temporary files", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("daybook-serve-"));
    const other = await start("--sample");
    const listener = connect(Number(other.url.port), "127.0.0.1");
    await once(listener, "connect");
    listener.on("error", () => undefined);
    other.process.kill("SIGTERM");
    expect(await other.ended).toEqual([0, null]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("daybook-serve-"))).toEqual(before);
  });
});

function raw(url: URL, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: url.hostname, port: url.port, path }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => (body += String(chunk)));
      answer.on("end", () => resolve({ status: answer.statusCode, body }));
    });
    asked.on("error", reject);
    asked.end();
  });
}
