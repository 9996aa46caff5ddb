import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
// @ts-expect-error a plain JavaScript file without types
import * as untyped from "../bin/code-cache.js";

interface Made {
  maker: string;
  source: string;
}
const { cachePlace, decode, encode } = untyped as {
  cachePlace: (env: Record<string, string>, platform: string) => string[] | null;
  decode: (file: Buffer, made: Made) => { code: Buffer; commands: string[] } | null;
  encode: (made: Made & { commands: string[] }, code: Buffer) => Buffer;
};

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TELLER = join(ROOT, "test/preload/given-code.cjs");
const isPosix = process.platform !== "win32";

/** What V8 was given for each part of the program. */
type Given = Record<string, "given" | "refused" | "none">;

function run(program: string, words: readonly string[], env: Readonly<Record<string, string>>, cwd = tmpdir()): Given {
  const child = spawnSync(process.execPath, [TELLER, program, ...words], {
    env,
    cwd,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect([child.signal, child.status, child.stderr]).toEqual([null, 0, expect.stringMatching(/^\{.*\}$/)]);
  return JSON.parse(child.stderr) as Given;
}

describe("the code of an installed copy", () => {
  let dir = "";
  let program = "";
  let env: Record<string, string> = {};
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "daybook-code-"));
    program = join(dir, "app/bin/daybook.js");
    cpSync(join(ROOT, "bin"), join(dir, "app/bin"), { recursive: true });
    mkdirSync(join(dir, "app/dist"));
    writePart("one");
    mkdirSync(join(dir, "home"));
    env = { HOME: join(dir, "home") };
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** A program of one part. Each command has a function of its own, compiled when it is first called. */
  function writePart(text: string): void {
    const command = (name: string): string =>
      `function ${name}() { return [${Array.from({ length: 50 }, (_, i) => `"${name} ${i}"`).join(", ")}]; }`;
    writeFileSync(
      join(dir, "app/dist/cli.cjs"),
      `${command("report")} ${command("search")}
       exports.main = async ([word]) => (word === "report" ? report() : search(), "${text}", 0);`,
    );
  }

  const caches = (): string => join(dir, "home/.cache/daybook/code");
  /** The one file of code there is. */
  function codeFile(): string {
    const [key = "", ...others] = readdirSync(caches());
    expect([others, readdirSync(join(caches(), key))]).toEqual([[], ["cli.code"]]);
    return join(caches(), key, "cli.code");
  }
  const report = (): Given => run(program, ["report"], env);
  const used = { cli: "given" };
  const compiled = { cli: "none" };

  it("is made on first use, for this user alone, and used from then on", () => {
    expect(report()).toEqual(compiled);
    const made = statSync(codeFile());
    if (isPosix) {
      expect(made.mode & 0o777).toBe(0o600);
      for (const below of ["", "..", "../.."]) expect(statSync(join(caches(), below)).mode & 0o777).toBe(0o700);
    }
    expect(report()).toEqual(used);
    // Nothing was written again.
    expect(statSync(codeFile()).mtimeMs).toBe(made.mtimeMs);
  });

  it("grows with a command that is used for the first time, and keeps what it had", () => {
    report();
    const { size } = statSync(codeFile());
    expect(run(program, ["search"], env)).toEqual(used);
    const grown = statSync(codeFile());
    expect(grown.size).toBeGreaterThan(size);
    expect([report(), run(program, ["search"], env)]).toEqual([used, used]);
    expect(statSync(codeFile()).mtimeMs).toBe(grown.mtimeMs);
  });

  it("is never given to another version of Node, which makes its own", () => {
    report();
    const other = { ...env, GIVEN_CODE_VERSION: "v20.19.0" };
    expect(run(program, ["report"], other)).toEqual(compiled);
    expect(readdirSync(caches())).toHaveLength(2);
    expect([run(program, ["report"], other), report()]).toEqual([used, used]);
  });

  it("is never given to V8 if another version made it, whatever the file is called", () => {
    report();
    const [own = ""] = readdirSync(caches());
    run(program, ["report"], { ...env, GIVEN_CODE_VERSION: "v20.19.0" });
    const [other = ""] = readdirSync(caches()).filter((name) => name !== own);
    renameSync(join(caches(), other, "cli.code"), join(caches(), own, "cli.code"));
    expect(report()).toEqual(compiled);
    // What was of no use has been replaced.
    expect(report()).toEqual(used);
  });

  it("is never given to V8 if a byte of it changed or the file is torn", () => {
    report();
    const file = codeFile();
    const whole = readFileSync(file);
    const places = [0, 1, 40, 200, 1023, 1024, 1040, whole.length >> 1, whole.length - 1];
    for (const at of places) {
      const changed = Buffer.from(whole);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      writeFileSync(file, changed);
      expect([at, report()]).toEqual([at, compiled]);
      writeFileSync(file, whole.subarray(0, at));
      expect([at, report()]).toEqual([at, compiled]);
    }
    writeFileSync(file, Buffer.concat([whole, Buffer.from("x")]));
    expect(report()).toEqual(compiled);
    expect(report()).toEqual(used);
  });

  it("is never used for a program of other content, even of the same length", () => {
    report();
    writePart("two");
    expect([report(), report()]).toEqual([compiled, used]);
  });

  it("is not shared by runs with other options of V8", () => {
    report();
    const other = { ...env, NODE_OPTIONS: "--max-old-space-size=300" };
    expect([run(program, ["report"], other), run(program, ["report"], other), report()]).toEqual([
      compiled,
      used,
      used,
    ]);
  });

  it.skipIf(!isPosix)("is not used if others can write to the file, and not made where others can write", () => {
    report();
    const file = codeFile();
    chmodSync(file, 0o620);
    expect(report()).toEqual(compiled);
    expect(report()).toEqual(used);
    rmSync(file);
    for (const place of [join(file, ".."), caches(), join(caches(), "..")]) {
      chmodSync(place, 0o770);
      expect(report()).toEqual(compiled);
      expect(existsSync(file)).toBe(false);
      chmodSync(place, 0o700);
    }
  });

  it.skipIf(process.getuid?.() !== 0)("is not used if it belongs to somebody else", () => {
    report();
    chownSync(codeFile(), 12_345, 12_345);
    expect(report()).toEqual(compiled);
  });

  it.skipIf(!isPosix)("is not made through a link, and a pipe in its place is no reason to wait", () => {
    mkdirSync(join(dir, "elsewhere"));
    mkdirSync(join(dir, "home/.cache"), { mode: 0o700 });
    symlinkSync(join(dir, "elsewhere"), join(dir, "home/.cache/daybook"));
    expect([report(), readdirSync(join(dir, "elsewhere"))]).toEqual([compiled, []]);
    rmSync(join(dir, "home/.cache/daybook"));
    report();
    const file = codeFile();
    rmSync(file);
    execFileSync("mkfifo", [file]);
    expect(report()).toEqual(compiled);
  });

  it("is not made where no directory for it can be named or written to, and the program runs all the same", () => {
    const cwd = join(dir, "here");
    mkdirSync(cwd);
    writeFileSync(join(dir, "file"), "");
    for (const named of [
      {},
      { HOME: "" },
      { HOME: "home" },
      { XDG_CACHE_HOME: "cache", HOME: env["HOME"] ?? "" },
      { HOME: join(dir, "file") },
      { HOME: join(dir, "nobody") },
      { ...env, NODE_DISABLE_COMPILE_CACHE: "1" },
    ])
      expect([named, run(program, ["report"], named, cwd)]).toEqual([named, compiled]);
    expect([readdirSync(cwd), readdirSync(join(dir, "home")), existsSync(join(dir, "nobody"))]).toEqual([
      [],
      [],
      false,
    ]);
  });

  it("is kept for four programs at most", () => {
    for (const version of ["v20.19.0", "v20.19.1", "v20.19.2", "v20.19.3", "v20.19.4"])
      run(program, ["report"], { ...env, GIVEN_CODE_VERSION: version });
    expect(readdirSync(caches())).toHaveLength(4);
    expect(run(program, ["report"], { ...env, GIVEN_CODE_VERSION: "v20.19.4" })).toEqual(used);
  });
});

describe("the code of a checkout", () => {
  const program = join(ROOT, "bin/daybook.js");

  it("is used by the Node that built it, and by no other", () => {
    const home = mkdtempSync(join(tmpdir(), "daybook-code-"));
    const built = run(program, ["--version"], { HOME: home });
    const maker = readFileSync(join(ROOT, "dist/code/cli.code")).toString("latin1", 0, 1024);
    const used = maker.includes(`"maker":"${process.version} `) ? "given" : "none";
    expect(built).toMatchObject({ cli: used, errors: used });
    expect(Object.values(built)).not.toContain("refused");
    const other = run(program, ["--version"], { HOME: home, GIVEN_CODE_VERSION: "v20.19.0" });
    expect(new Set(Object.values(other))).toEqual(new Set(["none"]));
    // What the build made is not made again for the user.
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("a file of code", () => {
  const made = { maker: "v20.20.2 11.3.244.8-node.38 x64 linux", source: "12-34" };
  const code = Buffer.from("what V8 made");

  it("is read by the maker it names, for the source it names", () => {
    expect(decode(encode({ ...made, commands: ["report"] }, code), made)).toEqual({ code, commands: ["report"] });
    for (const other of [
      { ...made, maker: "v20.19.0 11.3.244.8-node.30 x64 linux" },
      { ...made, maker: made.maker.replace("x64", "arm64") },
      { ...made, source: "12-35" },
    ])
      expect(decode(encode({ ...other, commands: [] }, code), made)).toBeNull();
  });

  it("of anything else is no code", () => {
    const whole = encode({ ...made, commands: [] }, code);
    const header = JSON.parse(whole.toString("latin1", 0, 1024)) as Record<string, unknown>;
    for (const text of ["", "null", "[]", "{}", "x".repeat(2000), JSON.stringify({ ...header, commands: 1 })])
      expect(decode(Buffer.concat([Buffer.from(text.padEnd(1024)), code]), made)).toBeNull();
  });
});

describe("the directory for caches", () => {
  it("is the platform's; an empty variable counts as unset, and a relative directory is never used", () => {
    const env = { HOME: "/home/nia", XDG_CACHE_HOME: "" };
    expect(cachePlace(env, "linux")).toEqual(["/home/nia/.cache", "daybook"]);
    expect(cachePlace({ ...env, XDG_CACHE_HOME: "/var/nia" }, "linux")).toEqual(["/var/nia", "daybook"]);
    expect(cachePlace({ ...env, XDG_CACHE_HOME: "cache" }, "linux")).toBeNull();
    expect(cachePlace({ ...env, XDG_CACHE_HOME: "/var/nia" }, "darwin")).toEqual([
      "/home/nia/Library/Caches",
      "daybook",
    ]);
    expect(cachePlace({ HOME: "" }, "linux")).toBeNull();
    expect(cachePlace({ HOME: "." }, "darwin")).toBeNull();
    expect(cachePlace({ LOCALAPPDATA: "" }, "win32")).toBeNull();
  });
});
