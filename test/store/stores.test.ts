import { copyFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/io/sqlite.ts";
import { CORPUS } from "../truth.ts";
import { answers, copyCorpus, differences, open, scratch, withoutExcerpts } from "./fixture.ts";

interface StoreKind {
  label: string;
  file: string;
  /** Leaves the first n messages of every session. */
  keep: (path: string, n: number) => void;
}

const KINDS: StoreKind[] = [
  {
    label: "opencode-1.18.33",
    file: "opencode.db",
    keep: (path, n) => {
      const db = openDatabase(path);
      db.exec(
        `DELETE FROM message WHERE id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY time_created, id) AS k FROM message) WHERE k <= ${n})`,
      );
      db.exec("DELETE FROM part WHERE message_id NOT IN (SELECT id FROM message)");
      db.exec(`UPDATE session SET time_updated = ${n}`);
      db.close();
    },
  },
  {
    label: "goose-1.34.0",
    file: "sessions/sessions.db",
    keep: (path, n) => {
      const db = openDatabase(path);
      db.exec(
        `DELETE FROM messages WHERE id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY id) AS k FROM messages) WHERE k <= ${n})`,
      );
      db.exec(`UPDATE sessions SET updated_at = '2026-01-01 00:00:${String(n).padStart(2, "0")}'`);
      db.close();
    },
  },
];

describe.each(KINDS)("sessions in a store: $label", ({ label, file, keep }) => {
  const original = join(CORPUS, label, file);

  it("grow message by message to the answers of one sync at the end", async () => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    const book = scratch("book");
    for (let n = 0; n <= 8; n++) {
      copyFileSync(original, path);
      keep(path, n);
      const [direct, fromBook] = [await answers(open(roots)), await answers(open(roots, book))];
      const wrong = differences(direct, fromBook);
      for (const key of wrong.slice(0, 2)) expect({ n, [key]: fromBook[key] }).toEqual({ n, [key]: direct[key] });
      expect(wrong).toEqual([]);
    }
    copyFileSync(original, path);
    expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
    // Rows that changed in place were told again, not all of the session.
    const pages = readdirSync(join(book, "book"), { recursive: true, encoding: "utf8" });
    expect(pages.filter((name) => /\.g\d+\.ledger/.test(name) && !name.includes(".own."))).toEqual([]);
    const bytes = pages.reduce((sum, name) => sum + statSync(join(book, "book", name)).size, 0);
    expect(bytes).toBeLessThan(2 * statSync(original).size);
  });

  it("lose messages, and the book does not", async () => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    const book = scratch("book");
    const before = withoutExcerpts(await answers(open(roots, book)));
    keep(path, 1);
    const daybook = open(roots, book);
    const texts = (await daybook.turns()).map((turn) => turn.trigger.text ?? "").toSorted();
    expect(texts).toEqual(
      (before["turns"] as { trigger: { text: string } }[]).map((turn) => turn.trigger.text ?? "").toSorted(),
    );
    expect((await daybook.audit()).balanced).toBe(true);
    daybook.close();
    // Restored from a backup, it is what it was.
    copyFileSync(original, path);
    expect(differences(before, withoutExcerpts(await answers(open(roots, book))))).toEqual([]);
  });
});
