import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Io } from "../../src/doors/cli/io.ts";
import { buildProgram, main } from "../../src/doors/cli/main.ts";
import { scratch } from "../store/fixture.ts";
import { csvRows, filesIn } from "./exported.ts";
import { spansIn } from "./otlp-official.ts";

afterEach(() => vi.restoreAllMocks());

async function run(
  argv: readonly string[],
  more: Partial<Io> = {},
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const code = await main(argv, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { HOME: "/nowhere" },
    now: Date.UTC(2026, 4, 12, 20),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    ...more,
  });
  return { code, out, err };
}

const sample = async (argv: readonly string[], more?: Partial<Io>): ReturnType<typeof run> =>
  run(["export", "--sample", "-z", "UTC", ...argv], more);

describe("daybook export", () => {
  it("runs every example of its help", async () => {
    const io = { out: () => undefined, err: () => undefined, env: {}, columns: 100 } as unknown as Io;
    const help: string[] = [];
    const command = buildProgram(io, () => undefined).commands.find((one) => one.name() === "export");
    command?.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
    const examples = [...help.join("").matchAll(/^ {2}daybook export (.*)$/gm)].map(([, words = ""]) => words);
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      const dir = scratch("example");
      // On the samples, into a temporary directory, and without sending anything.
      const words = example
        .replace(/ > \S+$/, "")
        .replace("019e2f1c", "019e164e")
        .replace(/--endpoint \S+/, "")
        .replace(/--out (?:~\/)?(\S+)/, `--out ${dir}/$1`);
      const { code, out, err } = await sample(words.split(" ").filter((word) => word !== ""));
      expect([example, code, /^(?:daybook: wrote .*\n)?$/.test(err)]).toEqual([example, 0, true]);
      expect([example, out !== "" || filesIn(dir).length > 0]).toEqual([example, true]);
    }
  });

  it("accepts -o for --out, and ~ for the home directory", async () => {
    const home = scratch("home");
    const { code, err } = await sample(["--format", "csv", "--table", "usage", "-o", "~/usage.csv"], {
      env: { HOME: home },
    });
    expect({ code, err }).toEqual({
      code: 0,
      err: "daybook: wrote 5 sessions to " + join(home, "usage.csv") + " (1 file)\n",
    });
    expect(csvRows(readFileSync(join(home, "usage.csv"), "utf8")).length).toBeGreaterThan(10);
  });

  it("writes only what the filters select", async () => {
    const rows = async (...argv: string[]): Promise<Record<string, string>[]> =>
      csvRows((await sample(["--format", "csv", "--table", "turns", ...argv])).out);
    const all = await rows();
    const [{ project = "", session_id = "", time = "" } = {}] = all;
    const day = time.slice(0, 10);
    const chosen: [string[], (row: Record<string, string>) => boolean][] = [
      [["--project", project], (row) => row["project"] === project],
      [["--session", session_id], (row) => row["session_id"] === session_id],
      [["--since", day, "--until", day], (row) => row["time"]?.startsWith(day) === true],
      [["--source", "codex"], (row) => row["source"] === "codex"],
    ];
    for (const [argv, fits] of chosen) {
      expect([argv, await rows(...argv)]).toEqual([argv, all.filter(fits)]);
      expect([argv, all.every(fits)]).toEqual([argv, false]);
    }
  });

  it("says if nothing matched, unless quiet, and suggests a project name", async () => {
    const none = await sample(["--since", "2020-01-01", "--until", "2020-01-02"]);
    expect(none).toEqual({
      code: 0,
      out: "",
      err: "daybook: No sessions found. Filters: --since 2020-01-01 --until 2020-01-02.\n",
    });
    const typo = await sample(["--project", "harbor-labs-tidepol"]);
    expect([typo.code, typo.out, typo.err]).toEqual([
      2,
      "",
      expect.stringContaining("did you mean harbor-labs-tidepool?"),
    ]);
    const quiet = await sample(["-q", "--since", "2020-01-01", "--until", "2020-01-02"]);
    expect(quiet).toEqual({ code: 0, out: "", err: "" });
  });

  it("shows progress on a terminal after a second, but not when quiet or printing there", async () => {
    let now = 0;
    vi.spyOn(Date, "now").mockImplementation(() => (now += 400));
    const terminal = { errIsTerminal: true, outIsTerminal: false };
    const out = join(scratch("bar"), "out");
    const { err } = await sample(["-o", out], terminal);
    expect(err).toMatch(/█+░* \d+%  \d\/5 sessions/);
    // The progress line is cleared before the final message.
    expect(err).toContain("\r\u001b[2Kdaybook: wrote 5 sessions");
    for (const other of [
      { argv: ["-o", join(out, "again"), "-q"], io: terminal },
      { argv: [], io: { errIsTerminal: true, outIsTerminal: true } },
      { argv: ["-o", join(out, "third")], io: {} },
    ])
      expect((await sample(other.argv, other.io)).err).not.toMatch(/% .*\d sessions/);
  });

  it("refuses options that have no effect, and unknown formats", async () => {
    for (const [argv, why] of [
      [["--json"], "does not take --json"],
      [["--allow-http"], "--allow-http needs --endpoint"],
      [["--format", "csv", "--content"], "--content cannot be combined with --format csv"],
      [["--format", "atif", "--endpoint", "http://localhost:1"], "atif cannot be sent to an endpoint"],
      [["--format", "otel", "--endpoint", "http://collector.example:4318"], "--endpoint cannot be"],
      [["--format", "otle"], "did you mean otel?"],
    ] as const) {
      const { code, out, err } = await sample(argv);
      expect([argv, code, out + err]).toEqual([argv, 2, expect.stringContaining(why)]);
    }
  });
});

it("daybook export ends silently with exit code 0 when the reader closes the pipe", async () => {
  const roots = ["codex", "claude"].map((name) => fileURLToPath(new URL(`../fixtures/month/${name}`, import.meta.url)));
  const program = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
  const words = ["export", "--root", `codex=${roots[0]}`, "--root", `claude-code=${roots[1]}`];
  const child = spawn(process.execPath, [program, ...words], { env: { HOME: "/nowhere" } });
  child.stdout.once("data", () => child.stdout.destroy());
  const stderr = buffer(child.stderr);
  const [code] = (await once(child, "close")) as [number];
  expect([code, (await stderr).toString("utf8")]).toEqual([0, ""]);
});

describe("daybook export --endpoint", () => {
  const got: { headers: IncomingMessage["headers"]; body: string }[] = [];
  let answer = "{}";
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const { headers } = request;
      const body = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      got.push({ headers, body: body.toString("utf8") });
      response.end(answer);
    });
  });
  let endpoint = "";
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it("sends what would be printed, with headers from the settings and the environment", async () => {
    const settings = join(scratch("settings"), "config.toml");
    writeFileSync(settings, '[otlp.headers]\nauthorization = "Bearer file"\nx-scope = "team"\n');
    const env = {
      DAYBOOK_CONFIG: settings,
      HOME: "/nowhere",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20env",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://nowhere.example",
    };
    const { code, out, err } = await sample(["--format", "openinference", "--endpoint", endpoint], { env });
    const { out: printed } = await sample(["--format", "openinference"]);
    const spans = spansIn(printed).length;
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "",
      err: `daybook: sent 5 sessions to ${endpoint} (${spans} spans)\n`,
    });
    expect(got.map(({ body }) => `${body}\n`).join("")).toBe(printed);
    expect(got[0]?.headers).toMatchObject({
      authorization: "Bearer env",
      "x-scope": "team",
      "content-encoding": "gzip",
    });
    got.length = 0;
    await sample(["--format", "otel", "--endpoint", endpoint], {
      env: { ...env, OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none" },
    });
    expect(got[0]?.headers["content-encoding"]).toBeUndefined();
  });

  it("reports rejected spans by message, even if quiet, and exit code 3", async () => {
    answer = JSON.stringify({ partialSuccess: { rejectedSpans: "1", errorMessage: "too\u001b old" } });
    const { code, err } = await sample(["-q", "--format", "otel", "--endpoint", endpoint, "--limit", "1"]);
    expect({ code, err }).toEqual({ code: 3, err: "daybook: 1 span rejected: too␛ old\n" });
    answer = JSON.stringify({ partialSuccess: { errorMessage: "old names" } });
    const warned = await sample(["--format", "otel", "--endpoint", endpoint, "--limit", "1"]);
    expect([warned.code, warned.err]).toEqual([0, expect.stringContaining("the collector says: old names")]);
  });

  it("cannot be combined with -o, and writes no file", async () => {
    const out = join(scratch("both"), "out");
    expect((await sample(["--format", "otel", "--endpoint", endpoint, "-o", out])).code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });
});
