import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { hostname, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scratch } from "../store/fixture.ts";

const TOKEN = "token-of-the-user";
const OWN = { headers: { authorization: `Bearer ${TOKEN}` } };
const SAMPLES = `codex=${fileURLToPath(new URL("../../samples/codex", import.meta.url))}`;
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
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: tmpdir(), DAYBOOK_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const address = /Daybook is at (\S+)/.exec(printed)?.[1];
    if (address !== undefined) return { process: child, url: new URL("/", address), ended };
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
    const page = await (await fetch(url, OWN)).text();
    expect(page).toContain("<title>Daybook</title>");
    // Data in the page is not executable.
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)(?! type="application\/json")/);
    // Every route of the page returns the page, so that it can be opened there.
    expect(await (await fetch(new URL("/session/codex/1", url), OWN)).text()).toContain("<title>Daybook</title>");
    const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(scripts.length).toBeGreaterThan(0);
    for (const path of scripts) expect((await fetch(new URL(path, url), OWN)).status).toBe(200);
    const overview = (await (await fetch(new URL("/api/overview", url), OWN)).json()) as { sample: boolean };
    expect(overview.sample).toBe(true);
    const document = (await (await fetch(new URL("/api/openapi.json", url), OWN)).json()) as { openapi: string };
    expect(document.openapi).toBe("3.1.0");
  });

  it("puts the first answers into the page, for the last day of the samples", async () => {
    const firstAnswers = async (): Promise<Record<string, unknown>> => {
      const page = await (await fetch(url, OWN)).text();
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
    // A busy machine may not have its answer in time for the first page.
    const report = await vi.waitFor(
      async () => {
        const found = (await firstAnswers())[`/api/report?date=${day}`];
        expect(found).toBeDefined();
        return found as { totals: { turns: number } };
      },
      { timeout: 60_000 },
    );
    expect(report.totals.turns).toBeGreaterThan(0);
  });

  it("does not use more memory after many requests", async () => {
    const pid = running?.process.pid ?? 0;
    const ask = async (times: number): Promise<void> => {
      const paths = ["/api/overview", "/api/now", "/api/days", "/api/sessions", "/api/report", "/api/search?q=tide"];
      for (let i = 0; i < times; i++)
        await (await fetch(new URL(paths[i % paths.length] ?? "", url), OWN)).arrayBuffer();
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
    const headers = { ...OWN.headers, "content-type": "application/json", "content-length": 1_000_000_000 };
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

describe("the token of daybook serve", () => {
  const asUser = (home: string): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: home, TMPDIR: tmpdir() });
  const words = (port: number): string[] => [program, "serve", "--port", String(port)];

  /** A server without a chosen token, over the samples in a book of its own. */
  async function serveSamples(): Promise<{ child: ChildProcess; home: string; port: number; printed: string }> {
    const home = scratch("server-home");
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const child = spawn(process.execPath, [...words(port), "--home", join(home, "book"), "--root", SAMPLES], {
      env: asUser(home),
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed = "";
    child.stdout?.on("data", (chunk) => (printed += String(chunk)));
    await expect.poll(() => printed, { timeout: 60_000 }).toContain("Daybook is at");
    return { child, home, port, printed: /Daybook is at (\S+)/.exec(printed)?.[1] ?? "" };
  }

  it("is in a file for the same user alone, and no other user of the machine gets an answer", async () => {
    const { child, home, port, printed } = await serveSamples();
    const note = join(home, "book", `serve-${port}.json`);
    await expect.poll(() => existsSync(note), { timeout: 60_000 }).toBe(true);
    expect(statSync(note).mode & 0o777).toBe(0o600);
    const { url, token } = JSON.parse(readFileSync(note, "utf8")) as { url: string; token: string };
    expect(printed).not.toContain(token);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(new URL("/api/overview", url), { headers })).status).toBe(200);
    for (const path of ["/", "/api/overview", "/api/openapi.json", "/mcp", "/assets/none.js"]) {
      const response = await fetch(new URL(path, url));
      expect(response.status, path).toBe(401);
      expect(await response.text(), path).not.toContain("daybook-token");
    }
    // The printed address opens the page once.
    expect((await fetch(printed)).headers.get("set-cookie")).toContain("SameSite=Strict");
    expect((await fetch(printed)).status).toBe(401);
    // Whoever starts it again gets another address of the same server.
    const again = execFileSync(process.execPath, [...words(port), "--home", join(home, "book"), "--root", SAMPLES], {
      env: asUser(home),
      encoding: "utf8",
    });
    expect(again).toMatch(new RegExp(`^Daybook is at http://127.0.0.1:${port}/\\?key=`));
    expect((await fetch(/(http\S+)/.exec(again)?.[1] ?? "")).status).toBe(200);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(existsSync(note)).toBe(false);
  });

  it("may come from a file, is not empty, and lets others in under every name of the machine", async () => {
    const file = join(scratch("token"), "token");
    writeFileSync(file, "a-long-enough-token\n", { mode: 0o600 });
    const running = await start("--sample", "--host", "0.0.0.0", "--token-file", file, "--allow-host", "day.example");
    const port = Number(running.url.port);
    const ask = (host: string, token = "a-long-enough-token"): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${token}` };
        const asked = request({ host: "127.0.0.1", port, path: "/api/overview", headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on("error", reject);
        asked.end();
      });
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const addresses = own.filter(({ family }) => family === "IPv4").map(({ address }) => address);
    for (const name of ["127.0.0.1", "localhost", hostname(), ...addresses])
      expect(await ask(`${name}:${port}`), name).toBe(200);
    for (const name of ["day.example", `day.example:${port}`]) expect(await ask(name), name).toBe(200);
    for (const name of ["evil.example", `evil.example:${port}`]) expect(await ask(name), name).toBe(421);
    expect(await ask(`localhost:${port}`, "another")).toBe(401);
    running.process.kill("SIGKILL");
    for (const token of ["", "short"])
      expect(
        spawnSync(process.execPath, [...words(0), "--sample", "--token", token], { encoding: "utf8" }),
      ).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("at least 8 characters") as string,
      });
  });
});

function raw(url: URL, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: url.hostname, port: url.port, path, headers: OWN.headers }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => (body += String(chunk)));
      answer.on("end", () => resolve({ status: answer.statusCode, body }));
    });
    asked.on("error", reject);
    asked.end();
  });
}
