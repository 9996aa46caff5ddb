import { ENGLISH, formsOf } from "./languages.ts";
import { fold } from "../terms.ts";

/**
 * Words that people of the trade use for the same thing, a line each, in the languages they ask in. A question in one of these
 * words finds texts that say another. What is only near stays out: each line makes every answer a little less exact.
 */
const TABLE = `
database, db, postgres, datenbank, base de donnees, base de datos, 数据库, データベース, база данных
auth, login, log in, sign in, authentication, anmeldung, einloggen, connexion, inicio de sesion, 登录, ログイン, авторизация
pipeline, ci
flaky, intermittent, randomly
slow, latency, performance, langsam, lent, lento, 慢, 遅い, медленный
crash, panic, segfault, absturz, plantage, fallo, 崩溃, クラッシュ, падение
bump, upgrade, update
revert, roll back, undo
`;

/** Signs of the longest word of a script without spaces in the table. */
export const LONGEST_RUN = 8;

let known: Map<string, Set<string>> | null = null;

function table(): Map<string, Set<string>> {
  return (known ??= tableOf(TABLE));
}

export function isKnown(text: string): boolean {
  return table().has(fold(text));
}

/** Other words for any of these. */
export function sameMeaning(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) for (const other of table().get(text) ?? []) found.add(other);
  for (const text of texts) found.delete(text);
  return [...found];
}

function tableOf(table: string): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  for (const line of table.split("\n")) {
    const words = line
      .split(",")
      .map((word) => fold(word.trim()))
      .filter((word) => word !== "");
    const forms = words.flatMap((word) => (/^[a-z]+$/.test(word) ? formsOf(word, ENGLISH) : [word]));
    for (const word of words) {
      const same = map.get(word) ?? new Set<string>();
      for (const form of forms) if (form !== word) same.add(form);
      map.set(word, same);
    }
  }
  return map;
}
