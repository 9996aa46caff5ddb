import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import type { Screen } from "../src/doors/cli/screen.ts";
import { scratch } from "./store/fixture.ts";

const NOW = Date.UTC(2026, 8, 7, 10, 0);
const MINUTE = 60_000;
const ID = "11111111-1111-4111-8111-111111111111";

/** Hand-written, because a running block needs responses close to `NOW`. Each response costs 2.7 cents. */
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

interface RunOptions {
  env: Record<string, string>;
  stdin?: string;
  calledAs?: string;
  screen?: () => Screen;
  clock?: () => number;
}

async function run(line: string, options: RunOptions): Promise<{ code: number; out: string; err: string }> {
  const ran = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: options.env,
    now: NOW,
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: options.stdin === undefined,
    stdin: () => options.stdin ?? "",
    ...(options.screen ? { screen: options.screen } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
  };
  const code = await main([...line.split(" "), "-z", "UTC"], io, options.calledAs);
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
  it("shows model, context, session, today, the running block and its hourly cost", async () => {
    const { env, transcript } = home([4000, 70, 10]);
    await run("sync", { env });
    const { out } = await run("statusline", { env, stdin: hook(transcript, { cost: { total_cost_usd: 0.5 } }) });
    expect(out).toBe(
      "Sonnet 4.5 · app · context 17% · session $0.50 · today $0.05 · block $0.05, 3h 0m left · $0.05/h\n",
    );
  });

  it("computes the cost of the session if the agent does not state it", async () => {
    const { env, transcript } = home([4000, 70, 10]);
    await run("sync", { env });
    expect((await run("statusline", { env, stdin: hook(transcript) })).out).toContain(" session $0.08 ");
  });

  it("includes a response written since the last sync", async () => {
    const { env, transcript } = home([70, 10]);
    await run("sync", { env });
    const longer = home([70, 10, 5]);
    copyFileSync(longer.transcript, transcript);
    expect((await run("statusline", { env, stdin: hook(transcript) })).out).toContain("today $0.08");
  });

  it("has the format of ccusage when called as ccusage", async () => {
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

  it("is JSON with --json", async () => {
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

  it("shows only the cost of the session before the first sync, and says why", async () => {
    const { env, transcript } = home([70, 10]);
    const { out } = await run("statusline", { env, stdin: hook(transcript) });
    expect(out).toContain("session $0.05 · today unknown before the first daybook sync");
  });
});

describe("usage blocks --live", () => {
  function fakeScreen(keys: (string | null)[]): { screen: () => Screen; calls: string[] } {
    const calls: string[] = [];
    const screen: Screen = {
      open: () => void calls.push("open"),
      draw: (text) => void calls.push(text),
      key: () => Promise.resolve(keys.shift() ?? null),
      columns: () => 80,
      close: () => void calls.push("close"),
    };
    return { screen: () => screen, calls };
  }

  it("redraws the running block with the current time until q, and restores the terminal", async () => {
    const { env } = home([70, 10]);
    const { screen, calls } = fakeScreen([null, "x", "q"]);
    const times = [NOW, NOW + MINUTE, NOW + 400 * MINUTE];
    const ran = await run("usage blocks --live", { env, screen, clock: () => times.shift() ?? NOW });
    expect(ran).toMatchObject({ code: 0, out: "" });
    expect([calls[0], calls.at(-1)]).toEqual(["open", "close"]);
    expect(calls.slice(1, -1).map((text) => /(\d+h \d+m) left|No block is running/.exec(text)?.[0])).toEqual([
      "3h 0m left",
      "2h 59m left",
      "No block is running",
    ]);
  });

  it("restores the terminal after an error", async () => {
    const { env } = home([70, 10]);
    const { screen, calls } = fakeScreen([]);
    const clock = (): number => {
      if (calls.length > 1) throw new Error("broken");
      return NOW;
    };
    expect((await run("usage blocks --live", { env, screen, clock })).code).toBe(1);
    expect(calls.at(-1)).toBe("close");
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("restores the terminal on %s", async (signal) => {
    const { env } = home([70, 10]);
    const { screen, calls } = fakeScreen([]);
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
    expect([calls.length, calls.at(-1)]).toEqual([3, "close"]);
  });

  it("is refused without a terminal", async () => {
    const { code, err } = await run("usage blocks --live", { env: home([10]).env });
    expect(code).toBe(2);
    expect(err).toContain("--live needs a terminal");
  });
});
