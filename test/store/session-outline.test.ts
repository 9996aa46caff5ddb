import { inside } from "../../src/answers/daybook.ts";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LogRecord } from "../../src/record/record.ts";
import { fileEntries } from "../../src/book/reading/file-entries.ts";
import { logRecords } from "../../src/book/reading/records.ts";
import { RecordOutline } from "../../src/book/reading/session-outline.ts";
import { A, CALL, E, M, OUT, R, TC, write } from "../cases/build.ts";
import { copyCorpus, open, scratch } from "./fixture.ts";

it("an outline reads the same records as `records`, whole and turn by turn", async () => {
  const { roots } = copyCorpus();
  const daybook = open(roots, scratch("home"));
  const sessions = await daybook.sessions();
  expect(sessions.length).toBeGreaterThan(20);
  for (const { source, session_id } of sessions) {
    const name = `${source}/${session_id}`;
    const records: LogRecord[] = [];
    for await (const record of daybook.records(name)) records.push(record);
    const outline = await inside(daybook).outline(name);
    // The last turn first, so that records it refers to have not been read yet.
    for (const ref of [...new Set(records.map(({ turn_id }) => turn_id ?? null))].toReversed()) {
      const own = records.filter(({ turn_id }) => (turn_id ?? null) === ref);
      expect(outline.read(outline.seqs(ref)), `${name} ${ref}`).toEqual(own);
    }
    expect(outline.read(outline.seqs()), name).toEqual(records);
    expect(outline.read(outline.seqs(undefined, 4)), name).toEqual(records.slice(5));
  }
  daybook.close();
});

it("an outline applies what other sessions decide: inherited records, and commands as typed", async () => {
  const { roots } = copyCorpus();
  const daybook = open(roots, scratch("home"));
  const { sessions } = await inside(daybook).read();
  let [typed, copied] = [0, 0];
  for (const session of sessions) {
    const [turn] = session.turns;
    if (turn) turn.typed = "/a-command";
    for (const part of session.parts) {
      const identities = [...fileEntries(part)].flatMap(({ identity }) => identity ?? []).slice(0, 8);
      part.inherited_from = identities.length > 0 ? new Set(identities) : null;
    }
    const records = [...logRecords(session)];
    typed += records.filter((record) => record.type === "user" && record.text === "/a-command").length;
    copied += records.filter((record) => record.type === "usage" && record.verdict === "inherited").length;
    const outline = new RecordOutline(session);
    expect(outline.read(outline.seqs()), session.session_id).toEqual(records);
  }
  expect([typed, copied].every((n) => n > 0)).toBe(true);
  daybook.close();
});

it("an outline replaces a damaged record by `unreadable`, and leaves all others unchanged", async () => {
  const root = scratch("root");
  const id = "019e0000-0000-7000-8000-000000000001";
  const file = join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`);
  const turn = [R("make it so"), E("make it so"), CALL("c1", "shell", { command: ["ls"] }), OUT("c1", "a file")];
  write(file, [M(id), TC(), ...turn, A("The first reply."), A("The second reply.")]);
  const home = scratch("home");
  const daybook = open({ codex: [root] }, home);
  const undamaged = await inside(daybook).outline(`codex/${id}`);
  const before = undamaged.read(undamaged.seqs());
  const [log] = readdirSync(join(home, "book"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl") && !name.includes(".ledger."))
    .map((name) => join(home, "book", name))
    .filter((path) => existsSync(path) && readFileSync(path, "utf8").includes("The first reply."));
  writeFileSync(log ?? "", readFileSync(log ?? "", "utf8").replace("The first reply.", "The wrong reply."));
  const outline = await inside(daybook).outline(`codex/${id}`);
  const after = outline.read(outline.seqs());
  expect(after.map(({ seq }) => seq)).toEqual(before.map(({ seq }) => seq));
  const changed = after.filter((record, i) => JSON.stringify(record) !== JSON.stringify(before[i]));
  expect(changed.map(({ type }) => type)).toEqual(["unreadable"]);
  daybook.close();
});
