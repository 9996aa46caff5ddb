import { quickHash } from "../../io/hash.ts";
import type { Row, SqlValue } from "../../io/sqlite.ts";
import type { TriggerEntry } from "../../format/record.ts";
import { sendsCommandsAsText } from "../../reading/source-ids.ts";
import { comparablePrompts, findRecurring } from "../../turns/recurring.ts";
import { templateHead, findTyped } from "../../turns/repeated.ts";
import { turnIndexOf, correctTrigger, sessionKey, type Session, type Turn } from "../../turns/session.ts";
import type { ReadTurnView } from "../../answers/turn-view.ts";
import type { IndexStore } from "./index-store.ts";
import { recordChange } from "./changes.ts";
import { updateTitle } from "./session-title.ts";
import { rewriteTurn } from "./turn-row.ts";
import { parseRow } from "./damaged-index.ts";

/** What comparing a prompt with all others shows: which rule applies, and what was typed if it is a command's text. */
interface PromptRuling {
  rule: string | null;
  typed: string | null;
}

/** A row of `asked`: a prompt with what its own file says of it. */
interface AskedRow extends PromptRuling {
  session: string;
  ref: string;
  time: number | null;
  entry: TriggerEntry;
  cwd: string | null;
  reason: string;
  /** Only for texts that may be those of a command. */
  text: string;
}

/** Sets on the turns what comparing their prompts with all others has shown. */
export function applyRulings(store: IndexStore, sessions: readonly Session[]): void {
  const byKey = new Map(sessions.map((session) => [sessionKey(session), session]));
  const sql = "SELECT session, ref, rule, typed FROM asked WHERE rule IS NOT NULL OR typed IS NOT NULL";
  for (const row of store.all(sql)) {
    const turn = byKey.get(String(row["session"]))?.turns[turnIndexOf(String(row["ref"]))];
    if (turn) applyRuling(turn, row);
  }
}

function applyRuling(turn: Turn, row: Row): void {
  if (typeof row["rule"] === "string") turn.automated = row["rule"];
  if (typeof row["typed"] === "string") turn.typed = row["typed"];
}

const COLUMNS = ["words", "ref", "time", "entry", "cwd", "reason", "head", "text"] as const;

/**
 * Stores the prompts of a session for comparison with all others, and sets known results on its turns. `whole`: the
 * session has no other turns. `settlePrompts` compares them once everything is read.
 */
export function savePrompts(store: IndexStore, session: Session, whole: boolean): number {
  const key = sessionKey(session);
  const asked = comparablePrompts(session);
  const select = `SELECT ${COLUMNS.join(", ")}, rule, typed FROM asked WHERE session = ?`;
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
    const known = before.get(ref);
    before.delete(ref);
    if (known && COLUMNS.every((column, i) => known[column] === row[i])) {
      applyRuling(turn, known);
      continue;
    }
    if (known) deletePrompt(store, key, ref);
    store.run(
      `INSERT INTO asked (${COLUMNS.join(", ")}, session, rule, typed, fresh) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, 1)`,
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
  for (const { ref } of store.all("SELECT ref FROM asked WHERE session = ?", key))
    deletePrompt(store, key, String(ref));
}

function deletePrompt(store: IndexStore, key: string, ref: string): number {
  const row = store.get("SELECT words, head FROM asked WHERE session = ? AND ref = ?", key, ref);
  if (!row) return 0;
  store.run("DELETE FROM asked WHERE words = ? AND session = ? AND ref = ?", row["words"] ?? "", key, ref);
  // Mark a similar prompt, so that its group is compared again.
  for (const column of ["words", "head"] as const) {
    const name = row[column] ?? null;
    if (name === null) continue;
    const other = store.get(`SELECT words, session, ref FROM asked WHERE ${column} = ? LIMIT 1`, name);
    if (other) {
      const at = [other["words"] ?? "", other["session"] ?? "", other["ref"] ?? ""];
      store.run("UPDATE asked SET fresh = 1 WHERE words = ? AND session = ? AND ref = ?", ...at);
    }
  }
  return 1;
}

/** Compares all prompts similar to new ones, and rewrites the affected turns. Returns the rows written. */
export function settlePrompts(store: IndexStore): number {
  const fresh = store.all("SELECT words, head, session, ref FROM asked WHERE fresh = 1");
  let written = 0;
  for (const words of new Set(fresh.map((row) => row["words"] ?? ""))) {
    const asked = similarPrompts(store, "words", words);
    const found = findRecurring(asked);
    for (const one of asked) written += storeRuling(store, one, { rule: found.get(one) ?? null, typed: one.typed });
  }
  for (const head of new Set(fresh.map((row) => row["head"] ?? null))) {
    if (head === null) continue;
    const asked = similarPrompts(store, "head", head);
    const found = findTyped(asked);
    for (const one of asked) written += storeRuling(store, one, { rule: one.rule, typed: found.get(one) ?? null });
  }
  for (const row of fresh) {
    const at = [row["words"] ?? "", row["session"] ?? "", row["ref"] ?? ""];
    store.run("UPDATE asked SET fresh = 0 WHERE words = ? AND session = ? AND ref = ?", ...at);
  }
  return written;
}

function similarPrompts(store: IndexStore, column: "words" | "head", name: SqlValue): AskedRow[] {
  const sql = `SELECT session, ref, time, entry, cwd, reason, text, rule, typed FROM asked WHERE ${column} = ?`;
  return store.all(sql, name).map((row) => row as unknown as AskedRow);
}

function storeRuling(store: IndexStore, one: AskedRow, ruling: PromptRuling): number {
  const { session, ref } = one;
  if (ruling.rule === one.rule && ruling.typed === one.typed) return 0;
  store.run(
    "UPDATE asked SET rule = ?, typed = ? WHERE session = ? AND ref = ?",
    ruling.rule,
    ruling.typed,
    session,
    ref,
  );
  // Rows hold finished answers, so the turn's view is updated too.
  const row = store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", session, ref);
  if (typeof row?.["view"] !== "string") return 1;
  const view = parseRow(row["view"]) as ReadTurnView;
  const { entry, reason } = one;
  const own = { ...view.trigger, entry, reason };
  if (one.typed !== null) Object.assign(own, { kind: "prompt", text: one.text });
  const known = { automated: ruling.rule ?? undefined, typed: ruling.typed ?? undefined };
  const after: ReadTurnView = { ...view, trigger: correctTrigger(own, known) };
  rewriteTurn(store, session, ref, JSON.stringify(after));
  // Whether a text answers a question depends on what was typed.
  store.run("DELETE FROM facts WHERE session = ?", session);
  updateTitle(store, session);
  recordChange(store, session);
  return 2;
}
