import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Io } from "../src/cli/io.ts";
import { main } from "../src/cli/main.ts";
import type { Screen } from "../src/cli/screen.ts";
import { scratch } from "./store/fixture.ts";

const NOW = Date.UTC(2026, 8, 7, 10, 0);
const MINUTE = 60_000;
const ID = "11111111-1111-4111-8111-111111111111";

/** Written by hand: a genuine block that is running would be over when the test runs. Each response costs 2.7 cents. */
function home(minutesAgo: readonly number[]): { claude: string; transcript: string; env: Record<string, string> } {
  const folder = scratch();
  const claude = join(folder, "claude");
  const transcript = join(claude, "projects", "-nowhere-app", `${ID}.jsonl`);
  mkdirSync(join(claude, "projects", "-nowhere-app"), { recursive: true });
  const lines = minutesAgo.map((minutes, n) => ({
    parentUuid: null,
    type: "assistant",
    uuid: `u${n}`,
    requestId: `req_${n}`,
    sessionId: ID,
    version: "2.1.100",
    cwd: "/nowhere/app",
    timestamp: new Date(NOW - minutes * MINUTE).toISOString(),
    message: {
      id: `msg_${String(n).padStart(24, "0")}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "done" }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 1000,
        cache_creation_input_tokens: 2000,
        cache_read_input_tokens: 30_000,
        output_tokens: 500,
      },
    },
  }));
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const env = { HOME: join(folder, "nobody"), CLAUDE_CONFIG_DIR: claude, DAYBOOK_HOME: join(folder, "book") };
  return { claude, transcript, env };
}

interface Given {
  env: Record<string, string>;
  stdin?: string;
  calledAs?: string;
  screen?: () => Screen;
  clock?: () => number;
}

async function run(line: string, given: Given): Promise<{ code: number; out: string; err: string }> {
  const ran = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: given.env,
    now: NOW,
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: given.stdin === undefined,
    stdin: () => given.stdin ?? "",
    ...(given.screen ? { screen: given.screen } : {}),
    ...(given.clock ? { clock: given.clock } : {}),
  };
  const code = await main([...line.split(" "), "-z", "UTC"], io, given.calledAs);
  return { code, ...ran };
}

const hook = (transcript: string, more: object = {}): string =>
  JSON.stringify({
    session_id: ID,
    transcript_path: transcript,
    cwd: "/nowhere/app",
    model: { display_name: "Sonnet 4.5" },
    context_window: { total_input_tokens: 33_000, context_window_size: 200_000, used_percentage: 16.5 },
    ...more,
  });

describe("the status line", () => {
  it("tells model, context, session, today, the running block and its pace", async () => {
    const { env, transcript } = home([4000, 70, 10]);
    await run("sync", { env });
    const { out } = await run("statusline", { env, stdin: hook(transcript, { cost: { total_cost_usd: 0.5 } }) });
    expect(out).toBe(
      "Sonnet 4.5 · app · context 17% · session $0.50 · today $0.05 · block $0.05, 3h 0m left · $0.05/h\n",
    );
  });

  it("counts the session where the agent does not tell its cost", async () => {
    const { env, transcript } = home([4000, 70, 10]);
    await run("sync", { env });
    expect((await run("statusline", { env, stdin: hook(transcript) })).out).toContain(" session $0.08 ");
  });

  it("has a response that was written since the last sync", async () => {
    const { env, transcript } = home([70, 10]);
    await run("sync", { env });
    const longer = home([70, 10, 5]);
    copyFileSync(longer.transcript, transcript);
    expect((await run("statusline", { env, stdin: hook(transcript) })).out).toContain("today $0.08");
  });

  it("is as ccusage prints it to who comes from there", async () => {
    const { env, transcript } = home([4000, 70, 10]);
    await run("sync", { env });
    const stated = hook(transcript, { cost: { total_cost_usd: 0.5 } });
    const { out } = await run("statusline -B emoji-text", { env, stdin: stated, calledAs: "ccusage" });
    expect(out).toBe(
      "🤖 Sonnet 4.5 | 💰 $0.50 session / $0.05 today / $0.05 block (3h 0m left) | 🔥 $0.05/hr 🟢 (Normal) | 🧠 33,000 (17%)\n",
    );
    const both = await run("statusline --cost-source both", { env, stdin: stated, calledAs: "ccusage" });
    expect(both.out).toContain("💰 ($0.50 cc / $0.08 ccusage) session");
    expect((await run("statusline", { env, stdin: "", calledAs: "ccusage" })).code).toBe(1);
  });

  it("is JSON where asked for", async () => {
    const { env, transcript } = home([70, 10]);
    await run("sync", { env });
    const { out } = await run("statusline --json", { env, stdin: hook(transcript) });
    expect(JSON.parse(out)).toMatchObject({
      schema_version: 1,
      model: "Sonnet 4.5",
      cwd: "/nowhere/app",
      context: { tokens: 33_000, size: 200_000, percent: 16.5 },
      session: { stated_usd: null, counted: { output_tokens: 1000 } },
      today: { cost_usd: 0.054 },
      block: { is_active: true, burn_rate: { cost_usd_per_hour: 0.054 } },
    });
  });

  it("reads nothing but the session before the first sync, and says so", async () => {
    const { env, transcript } = home([70, 10]);
    const { out } = await run("statusline", { env, stdin: hook(transcript) });
    expect(out).toContain("session $0.05 · today unknown before the first daybook sync");
  });
});

describe("usage blocks --live", () => {
  function fakeScreen(keys: (string | null)[]): { screen: () => Screen; did: string[] } {
    const did: string[] = [];
    const screen: Screen = {
      open: () => void did.push("open"),
      draw: (text) => void did.push(text),
      key: () => Promise.resolve(keys.shift() ?? null),
      columns: () => 80,
      close: () => void did.push("close"),
    };
    return { screen: () => screen, did };
  }

  it("draws the running block anew until q, with the time it is then, and gives the terminal back", async () => {
    const { env } = home([70, 10]);
    const { screen, did } = fakeScreen([null, "x", "q"]);
    const times = [NOW, NOW + MINUTE, NOW + 400 * MINUTE];
    const ran = await run("usage blocks --live", { env, screen, clock: () => times.shift() ?? NOW });
    expect(ran).toMatchObject({ code: 0, out: "" });
    expect([did[0], did.at(-1)]).toEqual(["open", "close"]);
    expect(did.slice(1, -1).map((text) => /(\d+h \d+m) left|No block is running/.exec(text)?.[0])).toEqual([
      "3h 0m left",
      "2h 59m left",
      "No block is running",
    ]);
  });

  it("gives the terminal back when it fails", async () => {
    const { env } = home([70, 10]);
    const { screen, did } = fakeScreen([]);
    const clock = (): number => {
      if (did.length > 1) throw new Error("broken");
      return NOW;
    };
    expect((await run("usage blocks --live", { env, screen, clock })).code).toBe(1);
    expect(did.at(-1)).toBe("close");
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("gives the terminal back on %s", async (signal) => {
    const { env } = home([70, 10]);
    const { screen, did } = fakeScreen([]);
    const waiting = (): Screen => ({
      ...screen(),
      key: (_within, stop) =>
        new Promise((resolve) => {
          stop.addEventListener("abort", () => resolve(null));
          process.emit(signal);
        }),
    });
    const ran = await run("usage blocks --live", { env, screen: waiting, clock: () => NOW });
    expect(ran.code).toBe(130);
    expect([did.length, did.at(-1)]).toEqual([3, "close"]);
  });

  it("is refused without a terminal", async () => {
    const { code, err } = await run("usage blocks --live", { env: home([10]).env });
    expect(code).toBe(2);
    expect(err).toContain("--live needs a terminal");
  });
});
