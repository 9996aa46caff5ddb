import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LogRecord } from "../../src/format/record.ts";
import { fileEntries } from "../../src/reading/file-entries.ts";
import { logRecords } from "../../src/reading/records.ts";
import { SessionOutline } from "../../src/reading/session-outline.ts";
import { A, CALL, E, M, OUT, R, TC, write } from "../cases/build.ts";
import { copyCorpus, open, scratch } from "./fixture.ts";

it("tells of every session what its records tell, whole and turn by turn, without the other texts", async () => {
  const { roots } = copyCorpus();
  const daybook = open(roots, scratch("home"));
  const sessions = await daybook.sessions();
  expect(sessions.length).toBeGreaterThan(20);
  for (const { source, session_id } of sessions) {
    const name = `${source}/${session_id}`;
    const records: LogRecord[] = [];
    for await (const record of daybook.records(name)) records.push(record);
    const outline = await daybook.outline(name);
    // The last first: what one refers to may not have been read.
    for (const ref of [...new Set(records.map(({ turn_id }) => turn_id ?? null))].toReversed()) {
      const own = records.filter(({ turn_id }) => (turn_id ?? null) === ref);
      expect(outline.read(outline.seqs(ref)), `${name} ${ref}`).toEqual(own);
    }
    expect(outline.read(outline.seqs()), name).toEqual(records);
    expect(outline.read(outline.seqs(undefined, 4)), name).toEqual(records.slice(5));
  }
  daybook.close();
});

it("tells what other sessions decide: records that are copies, and what was typed where a prompt is a command's text", async () => {
  const { roots } = copyCorpus();
  const daybook = open(roots, scratch("home"));
  const { sessions } = await daybook.read();
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
    const outline = new SessionOutline(session);
    expect(outline.read(outline.seqs()), session.session_id).toEqual(records);
  }
  expect([typed, copied].every((n) => n > 0)).toBe(true);
  daybook.close();
});

it("says of a record that was damaged that it was, and tells all others as they stand", async () => {
  const root = scratch("root");
  const id = "019e0000-0000-7000-8000-000000000001";
  const file = join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`);
  const asked = [R("make it so"), E("make it so"), CALL("c1", "shell", { command: ["ls"] }), OUT("c1", "a file")];
  write(file, [M(id), TC(), ...asked, A("The first reply."), A("The second reply.")]);
  const home = scratch("home");
  const daybook = open({ codex: [root] }, home);
  const whole = await daybook.outline(`codex/${id}`);
  const before = whole.read(whole.seqs());
  const [log] = readdirSync(join(home, "book"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl") && !name.includes(".ledger."))
    .map((name) => join(home, "book", name))
    .filter((path) => existsSync(path) && readFileSync(path, "utf8").includes("The first reply."));
  writeFileSync(log ?? "", readFileSync(log ?? "", "utf8").replace("The first reply.", "The wrong reply."));
  const outline = await daybook.outline(`codex/${id}`);
  const after = outline.read(outline.seqs());
  expect(after.map(({ seq }) => seq)).toEqual(before.map(({ seq }) => seq));
  const other = after.filter((record, i) => JSON.stringify(record) !== JSON.stringify(before[i]));
  expect(other.map(({ type }) => type)).toEqual(["unreadable"]);
  daybook.close();
});
