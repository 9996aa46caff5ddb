import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { SessionView } from "../../src/views/session-view.ts";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { marksFile } from "../../src/index/marks/marks-file.ts";
import { scratch } from "./fixture.ts";
import { MonthBook } from "./month-book.ts";

const BIN = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
const PRELOAD = fileURLToPath(new URL("../preload/kill.cjs", import.meta.url));
const month = new MonthBook("marks");
let one: SessionView;
let other: SessionView;

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function run(words: readonly string[], more: Partial<Io> = {}): Promise<Ran> {
  let [out, err] = ["", ""];
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { HOME: "/nowhere" },
    now: MonthBook.now,
    columns: 80,
    outIsTerminal: true,
    errIsTerminal: true,
    inIsTerminal: true,
    ...more,
  };
  return { code: await main(words, io), out, err };
}

const daybookCommand = (words: string): Promise<Ran> =>
  run([...words.split(" "), "--home", month.home, ...month.rootFlags, "-z", "UTC", "-q", "--no-color"]);
const idsOf = (list: readonly { session_id: string }[]): string[] => list.map(({ session_id }) => session_id);

beforeEach(async () => {
  await month.begin();
  const several = await month.with(async (daybook) => (await daybook.sessions()).filter(({ turns }) => turns > 1));
  [one, other] = several as [SessionView, SessionView];
});

describe("marks on sessions and turns", () => {
  it("are shown with them, and filter every list", async () => {
    await month.with(async (daybook) => {
      await daybook.mark(one.session_id, { starred: true, label: ["ticket=ABC-1", "flaky"] });
      await daybook.mark(`${other.session_id}/T0002`, { label: ["ticket=XYZ-2"], note: "the retry hides the race" });
      const [starred] = await daybook.sessions({ starred: true });
      expect(starred).toEqual({ ...one, marks: starred?.marks });
      expect(starred?.marks).toEqual({
        starred: true,
        closed: false,
        notes: [],
        turns: [],
        labels: [
          { key: "flaky", value: null },
          { key: "ticket", value: "ABC-1" },
        ],
      });
      // JSON texts, values and counts agree.
      for (const query of [{ label: ["ticket"] }, { label: ["ticket=XYZ-2"] }, { noted: true }, { starred: true }]) {
        const listed = await daybook.sessions(query);
        expect((await inside(daybook).sessionTexts(query)).map(({ json }) => JSON.parse(json) as unknown)).toEqual(
          listed,
        );
        expect(await inside(daybook).count("sessions", query)).toBe(listed.length);
        const turns = await daybook.turns(query);
        expect((await inside(daybook).turnTexts(query)).map(({ json }) => JSON.parse(json) as unknown)).toEqual(turns);
        expect(await inside(daybook).count("turns", query)).toBe(turns.length);
        expect((await inside(daybook).glances(query)).length).toBe(turns.length);
      }
      expect(new Set(idsOf(await daybook.sessions({ label: ["ticket"] })))).toEqual(
        new Set([one.session_id, other.session_id]),
      );
      // A label of a session applies to its turns; a note on a turn applies to no other turn.
      expect((await daybook.turns({ label: ["ticket=ABC-1"] })).length).toBe(one.turns);
      expect((await daybook.turns({ noted: true })).map(({ turn_ref }) => turn_ref)).toEqual(["T0002"]);
      expect(await daybook.sessions({ label: ["ticket=ABC-1", "flaky"] })).toHaveLength(1);
      expect(await daybook.sessions({ label: ["ticket=XYZ-2", "flaky"] })).toEqual([]);
      expect(await daybook.labels()).toEqual([
        { key: "flaky", value: null, sessions: 1, turns: 0 },
        { key: "ticket", value: "ABC-1", sessions: 1, turns: 0 },
        { key: "ticket", value: "XYZ-2", sessions: 0, turns: 1 },
      ]);
    });
  });

  it("select the usage, the balanced report and the tool calls of a label", async () => {
    await month.with(async (daybook) => {
      await daybook.mark(one.session_id, { label: ["ticket=ABC-1"] });
      await daybook.mark(`${other.session_id}/T0002`, { label: ["ticket=ABC-1"] });
      const label = ["ticket=ABC-1"];
      const grouping = { by: "trigger", order: "asc", breakdown: false } as const;
      const [turn] = (await daybook.turns({ session: other.session_id })).slice(1);
      const expected = one.usage.output_tokens + (turn?.usage.output_tokens ?? 0);
      for (const group of ["daily", "session", "turn", "model"] as const)
        expect((await daybook.usage({ ...grouping, group, label })).totals.output_tokens).toBe(expected);
      const report = await daybook.report({ since: "2020-01-01", label });
      expect(report.balance).toMatchObject({ balanced: true, other_tokens: 0 });
      expect(report.totals.turns).toBe(one.turns + 1);
      expect((await daybook.tools({ label })).every(({ turn_ref }) => turn_ref !== null)).toBe(true);
      expect((await daybook.tools({ label })).length).toBe(one.tools.total + (turn?.tools.total ?? 0));
      // A new mark invalidates the cached report.
      await daybook.mark(one.session_id, { note: "as it turned out" });
      const again = await daybook.report({ since: "2020-01-01", label });
      expect(JSON.stringify(again)).toContain("as it turned out");
    });
  });

  it("are found by search as notes, before the texts of sessions", async () => {
    await month.with(async (daybook) => {
      await daybook.mark(`${one.session_id}/T0001`, { note: "Überlauf beim Zählen; see ADR 数据库" });
      await daybook.mark(other.session_id, { label: ["ticket=QX-77"] });
      for (const words of ["uberlauf", '"beim zählen"', "ADR 数据", "zähl*"]) {
        const [first] = await daybook.search(words);
        expect(first).toMatchObject({ kind: "note", session_id: one.session_id, turn_ref: "T0001", line: null });
        expect(first?.matches).not.toEqual([]);
      }
      expect(await daybook.search("QX-77", { kinds: ["note"] })).toMatchObject([{ session_id: other.session_id }]);
      expect(await daybook.search("uberlauf", { kinds: ["prompt"] })).toEqual([]);
      expect(await daybook.search("uberlauf", { project: "no such project" })).toEqual([]);
      expect(await daybook.search("uberlauf", { session: other.session_id })).toEqual([]);
      expect(await daybook.search("uberlauf nirgends")).toEqual([]);
      const [turn] = await daybook.turns({ noted: true });
      const word = /[a-z]{6,}/.exec(turn?.trigger.text ?? "")?.[0] ?? "";
      const found = await daybook.search(word, { noted: true, limit: 200 });
      expect(found.length).toBeGreaterThan(0);
      for (const { turn_ref, session_id } of found) expect([session_id, turn_ref]).toEqual([one.session_id, "T0001"]);
      const recalled = await daybook.recall(turn?.trigger.text ?? "", { noted: true });
      expect(recalled.results).toMatchObject([{ turn_ref: "T0001", marks: { notes: [{ id: "n1" }] } }]);
    });
  });

  it("can be changed and removed: a key has one value, a note has its own id", async () => {
    await month.with(async (daybook) => {
      await daybook.mark(one.session_id, { label: ["ticket=A"], note: "first" });
      await daybook.mark(one.session_id, { label: ["ticket=B"], note: "second" });
      const before = readFileSync(marksFile(month.home), "utf8");
      // Marks that are already set are not written again.
      await daybook.mark(one.session_id, { label: ["ticket=B"], starred: false });
      expect(readFileSync(marksFile(month.home), "utf8")).toBe(before);
      expect(await daybook.mark(one.session_id, { unnote: "n1" })).toMatchObject({
        labels: [{ key: "ticket", value: "B" }],
        notes: [{ id: "n2", text: "second" }],
      });
      await expect(daybook.mark(one.session_id, { unnote: "n1" })).rejects.toThrow("no note n1");
      await expect(daybook.mark(one.session_id, { unlabel: ["colour"] })).rejects.toThrow("no label colour");
      await daybook.mark(one.session_id, { unlabel: ["ticket"], unnote: "n2" });
      expect((await daybook.sessions({ session: one.session_id }))[0]?.marks).toBeNull();
      // Ids are not reused.
      expect((await daybook.mark(one.session_id, { note: "third" })).notes).toMatchObject([{ id: "n3" }]);
      expect(readFileSync(marksFile(month.home), "utf8").startsWith(before)).toBe(true);
    });
  });

  it("are refused if the label, note or session is invalid, with a hint at a similar session id", async () => {
    await month.with(async (daybook) => {
      for (const label of ["", "=x", "a b", "ticket=", "-x", "a".repeat(65), "__proto__[0]"])
        await expect(daybook.mark(one.session_id, { label: [label] })).rejects.toMatchObject({ code: "usage" });
      await expect(daybook.mark(one.session_id, { note: " \n " })).rejects.toMatchObject({ code: "usage" });
      await expect(daybook.mark(`${one.session_id}/T0999`, { starred: true })).rejects.toMatchObject({
        code: "not_found",
      });
      const mistyped = `${one.session_id.slice(0, 7)}x${one.session_id.slice(8, 12)}`;
      await expect(daybook.mark(mistyped, { starred: true })).rejects.toMatchObject({
        hint: expect.stringContaining(one.session_id) as string,
      });
      expect(existsSync(marksFile(month.home))).toBe(false);
    });
    const withoutBook = new Daybook({ roots: month.roots, env: {}, home: "/nowhere" });
    await expect(withoutBook.mark(one.session_id, { starred: true })).rejects.toMatchObject({ code: "usage" });
    await expect(withoutBook.sessions({ starred: true })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("marks in the book", () => {
  const mark = async (): Promise<void> =>
    month.with(async (daybook) => {
      await daybook.mark(one.session_id, { starred: true, note: "kept" });
    });
  const notes = (): Promise<string[]> =>
    month.with(async (daybook) => (await daybook.marked()).flatMap((one) => one.notes.map(({ text }) => text)));

  it("survive a full sync, a rebuild, and missing session files", async () => {
    await mark();
    await month.with((daybook) => daybook.sync({ full: true }));
    expect(await notes()).toEqual(["kept"]);
    await month.with((daybook) => daybook.sync({ repair: true }));
    rmSync(join(month.home, "index.db"));
    expect(await notes()).toEqual(["kept"]);
    const elsewhere = scratch("gone");
    const none = { "claude-code": [elsewhere], codex: [elsewhere] };
    const daybook = new Daybook({ book: month.home, env: {}, home: elsewhere, now: MonthBook.now, timezone: "UTC" });
    expect(await daybook.sessions({ starred: true })).toMatchObject([{ session_id: one.session_id }]);
    daybook.close();
    expect(await month.with((inNone) => inNone.sessions({ starred: true }), none)).toEqual([]);
  });

  it("are removed when their session is forgotten, and no others are", async () => {
    await mark();
    await month.with(async (daybook) => {
      await daybook.mark(other.session_id, { note: "another" });
      await daybook.forget(await daybook.forgetPlan({ sessions: [one.session_id] }));
    });
    expect(readFileSync(marksFile(month.home), "utf8")).not.toContain(one.session_id);
    expect(await notes()).toEqual(["another"]);
  });

  it("are read despite an incomplete last row; a damaged row is reported, with exit code 3", async () => {
    await mark();
    appendFileSync(marksFile(month.home), '{"time":"2026-12-31T00:00:00.000Z","session":"codex/x","turn":nu');
    expect(await notes()).toEqual(["kept"]);
    await month.with((daybook) => daybook.mark(other.session_id, { note: "next" }));
    expect((await notes()).toSorted()).toEqual(["kept", "next"]);
    expect(await month.with((daybook) => daybook.problems())).toEqual([]);
    const text = readFileSync(marksFile(month.home), "utf8");
    writeFileSync(marksFile(month.home), text.replace('"kept"', '"lost"'));
    expect(await notes()).toEqual(["next"]);
    const { code, err } = await run(["sessions", "--home", month.home, ...month.rootFlags]);
    expect([code, /marks\.jsonl:2: a label, star or note is damaged/.test(err)]).toEqual([3, true]);
  });

  it("are said to be missing when their file was cut, emptied or deleted, also after the next one", async () => {
    await mark();
    const path = marksFile(month.home);
    const text = readFileSync(path, "utf8");
    const problems = (): Promise<string[]> =>
      month.with(async (daybook) => (await daybook.problems()).map(({ message }) => message));
    expect(await problems()).toEqual([]);
    const cut = (): void => writeFileSync(path, text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
    for (const damage of [cut, () => writeFileSync(path, ""), () => rmSync(path)]) {
      damage();
      expect(await problems()).toEqual([expect.stringMatching(/^\d+ changes? of labels, stars and notes are missing/)]);
    }
    await month.with((daybook) => daybook.mark(other.session_id, { note: "next" }));
    expect(await problems()).toEqual([expect.stringContaining("missing")]);
  });

  it("are written completely or not at all when the process is killed", async () => {
    const words = ["note", one.session_id, "in time", "--home", month.home, ...month.rootFlags, "-q"];
    const kill = (at: number): string =>
      spawnSync(process.execPath, ["--require", PRELOAD, BIN, ...words], {
        env: { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC", KILL_AT: String(at) },
        encoding: "utf8",
      }).stderr;
    const calls = Number(/calls: (\d+)/.exec(kill(0))?.[1]);
    expect(await notes()).toEqual(["in time"]);
    rmSync(marksFile(month.home));
    rmSync(marksFile(month.home).replace(".jsonl", ".count"));
    for (const share of [0.5, 0.7, 0.8, 0.9]) {
      kill(Math.floor(calls * share));
      const before = await notes();
      expect(before.every((text) => text === "in time")).toBe(true);
      // The next write succeeds whatever the kill left.
      await month.with((daybook) => daybook.mark(one.session_id, { note: "in time" }));
      expect((await notes()).length).toBe(before.length + 1);
      expect(await month.with((daybook) => daybook.problems())).toEqual([]);
    }
  });

  it("are noticed by watch in another Daybook, and shown by its next query", async () => {
    const [writer, reader] = [month.open(), month.open()];
    await reader.sessions();
    const changes = reader.watch({ every: 5 });
    const next = changes.next();
    await writer.mark(one.session_id, { starred: true });
    expect((await next).value?.sessions).toMatchObject([{ session_id: one.session_id, change: "changed" }]);
    expect(await reader.sessions({ starred: true })).toHaveLength(1);
    await changes.return();
    writer.close();
    reader.close();
  });
});

describe("daybook label, star and note", () => {
  it("print and list marks, and show them in other commands and exports", async () => {
    const id = one.session_id;
    expect((await daybookCommand("star")).out).toContain("Nothing is starred");
    expect((await daybookCommand(`star ${id}`)).out).toContain("★");
    expect((await daybookCommand(`label ${id}/T0001 ticket=ABC-1 flaky`)).out).toContain("flaky  ticket=ABC-1");
    expect((await daybookCommand(`note ${id} it was the cache`)).out).toMatch(/n1 +2026-12-31 00:00 +it was the cache/);
    expect((await daybookCommand("label")).out).toMatch(/ticket=ABC-1 +0 +1/);
    expect((await daybookCommand("star")).out).toMatch(/★[\s\S]*1 marked/);
    expect((await daybookCommand(`note ${id}`)).out).toMatch(/it was the cache[\s\S]*T0001/);
    for (const words of ["sessions --starred", "turns --label flaky", `show ${id}`, "search cache --kind note"])
      expect((await daybookCommand(words)).out, words).toMatch(/★|flaky|it was the cache/);
    expect((await daybookCommand("report --date 2026-09-18 --full --label flaky")).out).toContain("ticket=ABC-1");
    expect((await daybookCommand(`handoff ${id}`)).out).toContain("it was the cache");
    expect((await daybookCommand(`star ${id} --remove`)).out).not.toContain("★");
    expect((await daybookCommand(`label ${id}/T0001 --remove flaky`)).out).not.toContain("flaky");
    expect((await daybookCommand("label x --remove y")).err).toContain("no session x");
    expect((await daybookCommand("star --remove")).code).toBe(2);
    expect((await run(["star", id, ...month.rootFlags])).err).toContain("--home DIR");
    const out = join(scratch("logs"), "logs");
    await daybookCommand(`export --out ${out} --noted`);
    expect(readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("l"))).toHaveLength(
      2,
    );
    expect(JSON.parse(readFileSync(join(out, "marks.jsonl"), "utf8"))).toMatchObject({
      schema_version: 1,
      session_id: id,
      notes: [{ text: "it was the cache" }],
    });
  });

  it("print no secrets, control characters or markup of a note, in any command or format", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const hostile = `note \u001b]0;owned\u0007\u202e <script>x</script> ${secret}`;
    await month.with((daybook) =>
      daybook.mark(`${one.session_id}/T0001`, { note: hostile, label: [`key=${hostile}`] }),
    );
    const id = one.session_id;
    const commands = [
      "star",
      "label",
      "note",
      `note ${id}`,
      "sessions --noted",
      "turns --noted",
      `show ${id}`,
      `handoff ${id}`,
      "search owned",
      "recall owned",
      "report --since 2026-09-01 --full",
      "report --since 2026-09-01 --format html",
      `show ${id} --format html`,
      `show ${id} --format markdown`,
      "report --since 2026-09-01 --format markdown",
    ].flatMap((words) => (words.includes("--format") ? [words] : [words, `${words} --json`]));
    let redacted = 0;
    for (const words of commands) {
      const { out, err } = await daybookCommand(words);
      if (out.includes("[redacted:")) redacted++;
      expect(out + err, words).not.toContain(secret);
      // eslint-disable-next-line no-control-regex -- the test looks for these characters
      expect(/[\u0000-\u0008\u000b-\u001a\u202e]|\u001b\]/.test(out), words).toBe(false);
      if (words.includes("html")) expect(out, words).not.toContain("<script>x");
    }
    expect(redacted).toBeGreaterThan(15);
  });
});
