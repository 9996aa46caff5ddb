import { quickHash } from "../../base/io/hash.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { sendsCommandsAsText } from "../../book/reading/source-ids.ts";
import { findLooped, isTyped, openingOf, prefixOf, type LoopedPrompt } from "../../turns/looped.ts";
import { comparablePrompts, findRecurring } from "../../turns/recurring.ts";
import { templateHead, findTyped } from "../../turns/repeated.ts";
import { turnIndexOf, correctTrigger, type Session, type Turn } from "../../turns/session.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { recordChange } from "./changes.ts";
import { updateTitle } from "./titles.ts";
import { rewriteTurn } from "./turn-row.ts";
import { parseRow } from "./damaged-index.ts";
import { sessionKey } from "../../record/session-key.ts";

/**
 * What comparing a prompt with all others shows: which rule applies to its words, which to its opening, and what was
 * typed if it is a command's text.
 */
interface PromptRuling {
  rule: string | null;
  loop: string | null;
  typed: string | null;
}

/** A row of `asked`: a prompt with what its own file says of it. */
interface AskedRow extends PromptRuling, LoopedPrompt {
  reason: string;
  /** Only for texts that may be those of a command. */
  text: string;
}

/** Sets on the turns what comparing their prompts with all others has shown. */
export function applyRulings(store: IndexStore, sessions: readonly Session[]): void {
  const byKey = new Map(sessions.map((session) => [sessionKey(session), session]));
  const sql =
    "SELECT session, ref, rule, loop, typed FROM prompt WHERE rule IS NOT NULL OR loop IS NOT NULL OR typed IS NOT NULL";
  for (const row of store.all(sql)) {
    const turn = byKey.get(String(row["session"]))?.turns[turnIndexOf(String(row["ref"]))];
    if (turn) applyRuling(turn, row);
  }
}

function applyRuling(turn: Turn, row: Row): void {
  const rule = row["rule"] ?? row["loop"];
  if (typeof rule === "string") turn.automated = rule;
  if (typeof row["typed"] === "string") turn.typed = row["typed"];
}

const COLUMNS = [
  "words",
  "ref",
  "time",
  "entry",
  "cwd",
  "reason",
  "head",
  "text",
  "opening",
  "prefix",
  "ended",
] as const;

/**
 * Stores the prompts of a session for comparison with all others, and sets known results on its turns. `whole`: the
 * session has no other turns. `settlePrompts` compares them once everything is read.
 */
export function savePrompts(store: RowStore, session: Session, whole: boolean): number {
  const key = sessionKey(session);
  const asked = comparablePrompts(session);
  const select = `SELECT ${COLUMNS.join(", ")}, rule, loop, typed FROM prompt WHERE session = ?`;
  const rows = whole
    ? store.all(select, key)
    : asked.flatMap(({ turn }) => store.all(`${select} AND ref = ?`, key, turn.ref));
  const before = new Map(rows.map((row) => [String(row["ref"]), row]));
  const isSilent = sendsCommandsAsText(session.source);
  let written = 0;
  for (const { turn, words, asking } of asked) {
    const { ref, time, entry, cwd } = asking;
    const head = isSilent ? templateHead(turn) : null;
    const { reason, text } = turn.draft.trigger;
    const row: SqlValue[] = [quickHash(words), ref, time, entry, cwd, reason];
    row.push(head === null ? null : quickHash(head), head === null ? "" : text);
    const prefix = prefixOf(words);
    row.push(quickHash(openingOf(words)), prefix === null ? null : quickHash(prefix));
    // A typed prompt is compared with others only by its text, so its row need not follow the growing turn.
    row.push(isTyped(asking) ? null : turn.draft.ended_at);
    const known = before.get(ref);
    before.delete(ref);
    if (known && COLUMNS.every((column, i) => known[column] === row[i])) {
      applyRuling(turn, known);
      continue;
    }
    if (known) deletePrompt(store, key, ref);
    store.run(
      `INSERT INTO prompt (${COLUMNS.join(", ")}, session, rule, loop, typed, fresh)
       VALUES (${COLUMNS.map(() => "?").join(", ")}, ?, NULL, NULL, NULL, 1)`,
      ...row,
      key,
    );
    written++;
  }
  for (const ref of before.keys()) written += deletePrompt(store, key, ref);
  return written;
}

/** Deletes the prompts of a session; similar prompts are compared again. */
export function dropPrompts(store: IndexStore, key: string): void {
  for (const { ref } of store.all("SELECT ref FROM prompt WHERE session = ?", key))
    deletePrompt(store, key, String(ref));
}

function deletePrompt(store: RowStore, key: string, ref: string): number {
  const row = store.get("SELECT words, head, opening FROM prompt WHERE session = ? AND ref = ?", key, ref);
  if (!row) return 0;
  store.run("DELETE FROM prompt WHERE words = ? AND session = ? AND ref = ?", row["words"] ?? "", key, ref);
  // Mark a similar prompt, so that its group is compared again.
  for (const column of GROUPS) {
    const name = row[column] ?? null;
    if (name === null) continue;
    const other = store.get(`SELECT words, session, ref FROM prompt WHERE ${column} = ? LIMIT 1`, name);
    if (other) {
      const at = [other["words"] ?? "", other["session"] ?? "", other["ref"] ?? ""];
      store.run("UPDATE prompt SET fresh = 1 WHERE words = ? AND session = ? AND ref = ?", ...at);
    }
  }
  return 1;
}

/** Columns by which prompts are grouped to be compared. */
const GROUPS = ["words", "opening", "head"] as const;

/** Compares all prompts similar to new ones, and rewrites the affected turns. Returns the rows written. */
export function settlePrompts(store: IndexStore): number {
  const fresh = store.all("SELECT words, head, opening, session, ref FROM prompt WHERE fresh = 1");
  let written = 0;
  for (const column of GROUPS) {
    for (const name of new Set(fresh.map((row) => row[column] ?? null))) {
      if (name === null) continue;
      const asked = similarPrompts(store, column, name);
      const ruled = RULED[column](asked);
      for (const one of asked) written += storeRuling(store, one, ruled(one));
    }
  }
  for (const row of fresh) {
    const at = [row["words"] ?? "", row["session"] ?? "", row["ref"] ?? ""];
    store.run("UPDATE prompt SET fresh = 0 WHERE words = ? AND session = ? AND ref = ?", ...at);
  }
  return written;
}

/** What comparing the prompts of one group shows of each of them. */
const RULED: Readonly<
  Record<(typeof GROUPS)[number], (asked: readonly AskedRow[]) => (one: AskedRow) => PromptRuling>
> = {
  words(asked) {
    const found = findRecurring(asked);
    return (one) => ({ rule: found.get(one) ?? null, loop: one.loop, typed: one.typed });
  },
  opening(asked) {
    const found = findLooped(asked);
    return (one) => ({ rule: one.rule, loop: found.get(one) ?? null, typed: one.typed });
  },
  head(asked) {
    const found = findTyped(asked);
    return (one) => ({ rule: one.rule, loop: one.loop, typed: found.get(one) ?? null });
  },
};

function similarPrompts(store: IndexStore, column: (typeof GROUPS)[number], name: SqlValue): AskedRow[] {
  // Whether the agent called a tool is in the turn's view; the other groups do not ask.
  const acted =
    column === "opening"
      ? "(SELECT json_extract(t.view, '$.tools.total') FROM turn t WHERE t.session = a.session AND t.ref = a.ref)"
      : "0";
  const sql = `SELECT session, ref, time, entry, cwd, reason, text, prefix, ended, rule, loop, typed, ${acted} AS acted
    FROM prompt a WHERE ${column} = ?`;
  return store.all(sql, name).map((row) => ({ ...row, acted: Number(row["acted"]) > 0 }) as unknown as AskedRow);
}

function storeRuling(store: IndexStore, one: AskedRow, ruling: PromptRuling): number {
  const { session, ref } = one;
  if (ruling.rule === one.rule && ruling.loop === one.loop && ruling.typed === one.typed) return 0;
  store.run(
    "UPDATE prompt SET rule = ?, loop = ?, typed = ? WHERE session = ? AND ref = ?",
    ruling.rule,
    ruling.loop,
    ruling.typed,
    session,
    ref,
  );
  // Rows hold finished answers, so the turn's view is updated too.
  const row = store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", session, ref);
  if (typeof row?.["view"] !== "string") return 1;
  const view = parseRow(row["view"]) as ReadViews["turn"];
  const { entry, reason } = one;
  const own = { ...view.trigger, entry, reason };
  if (one.typed !== null) Object.assign(own, { kind: "prompt", text: one.text });
  const known = { automated: ruling.rule ?? ruling.loop ?? undefined, typed: ruling.typed ?? undefined };
  const after: ReadViews["turn"] = { ...view, trigger: correctTrigger(own, known) };
  rewriteTurn(store, session, ref, JSON.stringify(after));
  // Whether a text answers a question depends on what was typed.
  store.run("DELETE FROM facts WHERE session = ?", session);
  updateTitle(store, session);
  recordChange(store, session);
  return 2;
}
