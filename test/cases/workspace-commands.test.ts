import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { A, CU, codex, folder, M, open, R, type Book } from "./build.ts";
import { unzip } from "../unzip.ts";
import { filesBelow, run, type Ran } from "./workspace.ts";

const DAY = ["--date", "2026-05-12", "--timezone", "UTC"];

interface Scene {
  env: { DAYBOOK_HOME: string };
  dir: string;
  project: string;
  cmd: (...args: string[]) => Promise<Ran>;
}

/** A prepared workspace of one session with three turns. */
async function scene(book: Book = codex(M("s"), R("one"), A("a"), R("two"), A("b"), R("three"))): Promise<Scene> {
  const env = { DAYBOOK_HOME: join(folder(), "home") };
  const roots = ["--root", `codex=${book.root.codex}`, "--root", `claude-code=${book.root.claude}`];
  const result = await run(["prepare", ...DAY, ...roots, "--json"], env);
  expect(result.code).toBe(0);
  const dir = join(env.DAYBOOK_HOME, "work/2026-05-12");
  const paths = Object.keys(filesBelow(dir)).filter((path) => path.endsWith("project.json"));
  const project = join(dir, paths[0]?.replace("/project.json", "") ?? "");
  return { env, dir, project, cmd: (...args) => run(args, env) };
}

function dates(ran: Ran): string[] {
  return ran.out.match(/\d{4}-\d{2}-\d{2}(?= )/g) ?? [];
}

/** Section I, 105: the list of workspaces, and how complete each is. */
describe("I. list and inspect", () => {
  it("case 105: list shows the newest ten, five with --verbose, two with --limit 2, and a sentence for none", async () => {
    const env = { DAYBOOK_HOME: join(folder(), "home") };
    const none = await run(["list"], env);
    expect(none).toMatchObject({ code: 0, err: "" });
    expect(none.out).toMatch(/^No workspaces in .* yet; daybook workspace prepare makes one\.\n$/);
    for (let day = 1; day <= 11; day++)
      mkdirSync(join(env.DAYBOOK_HOME, `work/2026-05-${String(day).padStart(2, "0")}`), { recursive: true });
    mkdirSync(join(env.DAYBOOK_HOME, "work/notes"));
    const list = await run(["list"], env);
    expect(list.out).toContain("10 of 11 workspaces, --limit 0 for all");
    expect([dates(list).length, dates(list)[0]]).toEqual([10, "2026-05-11"]);
    const verbose = await run(["list", "--verbose"], env);
    expect(verbose.out).toContain("5 of 11 workspaces");
    expect((await run(["list", "--limit", "2"], env)).out).toContain("2 of 11 workspaces");
    const json = JSON.parse((await run(["list", "--limit", "1", "--json"], env)).out) as object;
    expect(json).toMatchObject({ schema_version: 1, total: 11, workspaces: [{ date: "2026-05-11", status: null }] });
  });

  it("case 105: list shows a workspace with its counts", async () => {
    const { cmd } = await scene();
    const json = JSON.parse((await cmd("list", "--json")).out) as object;
    expect(json).toMatchObject({
      workspaces: [{ date: "2026-05-12", status: "final", timezone: "UTC", projects: 1, sessions: 1, turns: 3 }],
    });
  });

  it("case 105: inspect shows 1/3 evidence chains, and the directory from the private manifest", async () => {
    const { cmd, project, dir } = await scene();
    mkdirSync(join(project, "evidence"));
    const chains = [{ turn_ref: "T0002" }, { turn_ref: "T0002" }, { turn_ref: "T0009" }];
    writeFileSync(join(project, "evidence/S0001.json"), JSON.stringify({ evidence_chains: chains }));
    writeFileSync(join(dir, "report.md"), "# Report\n");
    const { code, out } = await cmd("inspect", ...DAY);
    expect(code).toBe(0);
    expect(out).toContain("evidence chains    1/3");
    expect(out).toContain("project syntheses  0/1");
    expect(out).toContain("daily report       missing");
    expect(out).toContain("markdown           present");
    expect(out).toContain("directory  /nowhere/app");
    const json = JSON.parse((await cmd("inspect", ...DAY, "--json")).out) as object;
    expect(json).toMatchObject({ schema_version: 1, sessions: 1, turns: 3, evidence_chains: 1, markdown: true });
  });

  it("case 105: inspect shows an unknown directory, and an unavailable one if the manifest is malformed", async () => {
    const unknown = await scene(open({ codex: { "rollout-u.jsonl": [M("u", { cwd: undefined }), R("a")] } }));
    expect((await unknown.cmd("inspect", ...DAY)).out).toContain("directory  unknown (unknown-project/codex/u)");
    writeFileSync(join(unknown.env.DAYBOOK_HOME, "private/2026-05-12/audit.manifest.json"), "{");
    expect((await unknown.cmd("inspect", ...DAY)).out).toContain("directory  unavailable");
  });

  it.each(["{", "[]", '{"evidence_chains":7}'])(
    "case 105: a malformed evidence card %s is an error with its path",
    async (card) => {
      const { cmd, project } = await scene();
      mkdirSync(join(project, "evidence"));
      const path = join(project, "evidence/S0001.json");
      writeFileSync(path, card);
      const ran = await cmd("inspect", ...DAY);
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(ran.err).toContain(path);
    },
  );

  it.each([
    ["session_path", "sessions/../../../etc/passwd", "leads out"],
    ["session_path", "/etc/passwd", "leads out"],
    ["session_path", "evidence/x.jsonl", "leads out"],
    ["session_ref", "../S0001", "bad session_ref"],
    ["target_start_line", 0, "no span"],
    ["turns", [{ turn_ref: "x", turn_start_line: 1, turn_end_line: 1 }], "bad turn_ref"],
  ])("seed 1.3: an index with the %s %j is rejected", async (field, value, why) => {
    const { cmd, project } = await scene();
    const path = join(project, "sessions.index.jsonl");
    const row = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, `${JSON.stringify({ ...row, [field]: value })}\n`);
    const ran = await cmd("inspect", ...DAY);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(why);
  });

  it("inspect --workspace reads a workspace in another directory", async () => {
    const book = open({ claude: { "z.jsonl": [CU("w")] } });
    const env = { DAYBOOK_HOME: join(folder(), "home") };
    const out = join(folder(), "evidence");
    await run(["prepare", ...DAY, "--root", `claude-code=${book.root.claude}`, "--out", out], env);
    const ran = await run(["inspect", "--workspace", out], env);
    expect(ran.out).toContain("directory  /nowhere/app");
    expect((await run(["inspect", ...DAY], env)).code).toBe(2);
  });
});

/** Section I, 106: the support bundle. */
describe("I. collect", () => {
  it("case 106: raw sessions are excluded and listed as excluded", async () => {
    const { cmd, env, dir } = await scene();
    const ran = await cmd("collect", ...DAY);
    expect(ran).toMatchObject({ code: 0, err: "" });
    const output = join(env.DAYBOOK_HOME, "collections/2026-05-12.zip");
    expect(ran.out).toContain(output);
    const files = unzip(output);
    const names = Object.keys(files);
    expect(names.filter((name) => name.includes("/sessions/"))).toEqual([]);
    expect(names).toContain("work/2026-05-12/metadata.json");
    expect(names).toContain("private/audit.manifest.json");
    expect(files["work/2026-05-12/metadata.json"]).toBe(readFileSync(join(dir, "metadata.json"), "utf8"));
    const list = JSON.parse(files["collection.manifest.json"] ?? "") as Record<string, unknown>;
    expect(list).toMatchObject({
      schema_version: 1,
      collected_at: "2026-05-13T12:00:00Z",
      tool: { name: "daybook" },
      target: { mode: "date-root", workspace_path: dir, report_date: "2026-05-12", timezone: "UTC", status: "final" },
      include_raw_sessions: false,
      generated_paths: ["collection.manifest.json"],
    });
    expect(list["excluded_paths"]).toEqual([expect.stringMatching(/sessions\/codex\/rollout-case\.jsonl$/)]);
    expect(list["included_paths"]).toEqual(names.filter((name) => name !== "collection.manifest.json"));
    expect(Object.keys(list["file_checksums_sha256"] as object)).toEqual(list["included_paths"]);
  });

  it("case 106: --include-raw-sessions includes raw sessions and warns", async () => {
    const { cmd, env, dir } = await scene();
    const ran = await cmd("collect", ...DAY, "--include-raw-sessions");
    expect(ran.err).toContain("warning: the collection will contain raw sessions");
    const files = unzip(join(env.DAYBOOK_HOME, "collections/2026-05-12.zip"));
    const inside = Object.keys(files).filter((name) => name.startsWith("work/"));
    expect(inside).toEqual(
      Object.keys(filesBelow(dir))
        .map((path) => `work/2026-05-12/${path}`)
        .toSorted(),
    );
  });

  it("case 106: an output inside the workspace is rejected, also through .. or a symlink", async () => {
    const { cmd, dir } = await scene();
    const link = join(folder(), "link");
    symlinkSync(dir, link);
    const before = filesBelow(dir);
    for (const output of [join(dir, "x.zip"), join(dir, "projects/../new/x.zip"), join(link, "x.zip")]) {
      const ran = await cmd("collect", ...DAY, "--output", output);
      expect(ran.code).toBe(2);
      expect(ran.err).toContain("inside the workspace");
    }
    expect(filesBelow(dir)).toEqual(before);
  });

  it.each([["--date", "2026-05-12"], ["--today"], ["--timezone", "UTC"]])(
    "case 106: --workspace cannot be combined with %s",
    async (...flag) => {
      const { cmd, dir } = await scene();
      const ran = await cmd("collect", "--workspace", dir, ...flag);
      expect(ran.code).toBe(2);
      expect(ran.err).toContain(`--workspace cannot be combined with ${flag[0]}`);
    },
  );

  it("case 106: a missing workspace is an error, and none is created", async () => {
    const env = { DAYBOOK_HOME: join(folder(), "home") };
    const ran = await run(["collect", ...DAY], env);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(statSync(env.DAYBOOK_HOME, { throwIfNoEntry: false })).toBeUndefined();
    expect((await run(["collect", "--workspace", join(folder(), "none")], env)).code).toBe(2);
  });

  it("collect --workspace leaves out the private manifest, and accepts malformed metadata", async () => {
    const { cmd, dir } = await scene();
    writeFileSync(join(dir, "metadata.json"), "{");
    const output = join(folder(), "x.zip");
    expect((await cmd("collect", "--workspace", dir, "--output", output)).code).toBe(0);
    const files = unzip(output);
    expect(Object.keys(files).some((name) => name.startsWith("private/"))).toBe(false);
    const list = JSON.parse(files["collection.manifest.json"] ?? "") as { target: object };
    expect(list.target).toEqual({
      mode: "workspace",
      workspace_path: dir,
      workspace_archive_root: "work/2026-05-12",
      report_date: null,
      timezone: null,
      status: null,
    });
  });

  it("collect does not follow symlinks in the workspace, and does not overwrite a file that is no zip", async () => {
    const { cmd, dir, env } = await scene();
    const secret = join(folder(), "secret.txt");
    writeFileSync(secret, "secret");
    symlinkSync(secret, join(dir, "report.md"));
    await cmd("collect", ...DAY);
    const files = unzip(join(env.DAYBOOK_HOME, "collections/2026-05-12.zip"));
    expect(Object.values(files).some((text) => text === "secret")).toBe(false);
    expect(files["collection.manifest.json"]).toContain("work/2026-05-12/report.md");
    const refused = await cmd("collect", ...DAY, "--output", secret);
    expect(refused.code).toBe(2);
    expect(readFileSync(secret, "utf8")).toBe("secret");
    // An earlier collection is replaced.
    expect((await cmd("collect", ...DAY)).code).toBe(0);
  });
});
