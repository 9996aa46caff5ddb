import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { CLASSES } from "../../src/agents/crush/read.ts";
import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { DEEP, type Listed } from "./listed.ts";

const PARTS: readonly [role: string, parts: string][] = [
  ["user", '[{"type":"shell_command","data":{"command":"make","output":"no","exit_code":2}}]'],
  ["oracle", "[]"],
  ["user", "{not json"],
  ["user", DEEP],
];

export const CRUSH: Listed = {
  reasons: reasonsOf("crush", CLASSES),
  folder: "src/agents/crush",
  prefix: "crush",
  fixtures: /^crush-/,
  files: [],
  make(root) {
    mkdirSync(join(root, ".crush"));
    const db = openDatabase(join(root, ".crush", "crush.db"));
    db.exec("CREATE TABLE sessions (id, parent_session_id, title, created_at, updated_at)");
    db.exec("CREATE TABLE messages (id, session_id, role, parts, created_at, updated_at)");
    db.exec("INSERT INTO sessions VALUES ('s', NULL, 't', 1794987978, 1794987978)");
    for (const [at, [role, parts]] of PARTS.entries())
      db.prepare("INSERT INTO messages VALUES (?, 's', ?, ?, 1794987978, 1794987978)").run(`m${at}`, role, parts);
    db.close();
  },
  unreached: {
    "crush.line.blank": "rows are not lines",
    "crush.line.not_object": "a row is an object",
    "crush.line.nul_bytes": "rows are not lines",
    "crush.line.too_large": "rows are not lines",
    "crush.line.torn": "rows are not lines",
  },
};
