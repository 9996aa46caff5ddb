import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { validateFile } from "../../src/book/reading/validate.ts";
import { copyCorpus, open } from "./fixture.ts";

const STORES = [
  {
    label: "opencode-1.18.33",
    file: "opencode.db",
    rows: "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM message) + (SELECT count(*) FROM part) AS n",
    damage: "UPDATE part SET data = '{' WHERE id = (SELECT max(id) FROM part)",
    tables: /^(session|message|part) (ses|msg|prt)_\w+ \{/,
  },
  {
    label: "goose-1.34.0",
    file: "sessions/sessions.db",
    rows: "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM messages) AS n",
    damage: "UPDATE messages SET content_json = '{' WHERE id = (SELECT max(id) FROM messages)",
    tables: /^(sessions [\d_]+ \{|messages \d+ (user|assistant) \[)/,
  },
];

describe.each(STORES)("rows of a database: $label", ({ label, file, rows, damage, tables }) => {
  const copyStore = () => {
    const { dir, roots } = copyCorpus([label]);
    return { path: join(dir, label, file), roots };
  };
  const ask = (path: string, sql: string): unknown => {
    const db = openDatabase(path);
    try {
      return db.prepare(sql).get()?.["n"];
    } finally {
      db.close();
    }
  };

  it("are all validated, and a damaged one is reported with its session", async () => {
    const { path } = copyStore();
    const good = await validateFile(path);
    expect(good).toMatchObject({ valid: true, problems: [], records: ask(path, rows) });
    const db = openDatabase(path);
    db.exec(damage);
    db.close();
    const { valid, problems, records } = await validateFile(path);
    expect({ valid, records }).toEqual({ valid: false, records: good.records });
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringMatching(/^session \w+: /)]);
  });

  it("are shown by explain with table, key and content", async () => {
    let explainedLines = 0;
    const daybook = open(copyStore().roots);
    for (const { session_id, source } of (await daybook.sessions()).slice(0, 3)) {
      const { session } = await daybook.find(`${source}/${session_id}`);
      for (let line = 1; line <= (session.parts[0]?.last_line ?? 0); line++) {
        const [explained] = await daybook.explain(`${source}/${session_id}:${line}`);
        explainedLines++;
        expect(explained?.excerpt).toMatch(tables);
        // The right row: an OpenCode document contains its type, a Goose row its role.
        const kind = explained?.native.split("/").at(-1) ?? "";
        if (line > 1) expect(explained?.excerpt).toContain(kind);
      }
    }
    expect(explainedLines).toBeGreaterThan(3);
  });
});
