import { copyFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { isCompared } from "../nightly.ts";
import { CORPUS } from "../truth.ts";
import { answers, copyCorpus, differences, open, scratch, syncBook, withoutExcerpts } from "./fixture.ts";

interface StoreKind {
  label: string;
  file: string;
  /** Deletes all but the first n messages of every session. */
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

describe.each(KINDS)("sessions in a database: $label", ({ label, file, keep }) => {
  const original = join(CORPUS, label, file);

  it("that grow by one message between syncs give the same answers as reading them directly", async () => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    const book = scratch("book");
    for (let n = 0; n <= 8; n++) {
      copyFileSync(original, path);
      keep(path, n);
      await syncBook(roots, book);
      if (!isCompared(n, n === 8)) continue;
      const [direct, fromBook] = [await answers(open(roots)), await answers(open(roots, book))];
      const different = differences(direct, fromBook);
      for (const key of different.slice(0, 2)) expect({ n, [key]: fromBook[key] }).toEqual({ n, [key]: direct[key] });
      expect(different).toEqual([]);
    }
    copyFileSync(original, path);
    expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
    // Only rows that changed in place were written again, not the whole session.
    const pages = readdirSync(join(book, "book"), { recursive: true, encoding: "utf8" });
    expect(pages.filter((name) => /\.g\d+\.ledger/.test(name) && !name.includes(".own."))).toEqual([]);
    const bytes = pages.reduce((sum, name) => sum + statSync(join(book, "book", name)).size, 0);
    expect(bytes).toBeLessThan(2 * statSync(original).size);
  });

  it("keep the turns of deleted messages, and are unchanged once the messages are restored", async () => {
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
    copyFileSync(original, path);
    expect(differences(before, withoutExcerpts(await answers(open(roots, book))))).toEqual([]);
  });
});
