import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** Keeps a database open like its agent, runs one statement per input line, and prints the rows as JSON. */
const PROGRAM = `
const builtin = process.getBuiltinModule?.("node:sqlite");
const { DatabaseSync } = builtin ?? require("@photostructure/sqlite");
const db = new DatabaseSync(process.argv[1], { timeout: 10000 });
db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
const answer = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [order, sql] = JSON.parse(line);
  if (order === "die") process.kill(process.pid, "SIGKILL");
  else if (order === "exec") answer(db.exec(sql) ?? null);
  else if (order === "all") answer(db.prepare(sql).all());
});
`;

/** A process that has a database open like the agent that owns it: SQLite's locks have no effect within one process. */
export class Owner {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(path: string) {
    this.#child = spawn(process.execPath, ["-e", PROGRAM, path], { stdio: ["pipe", "pipe", "inherit"] });
    const out = this.#child.stdout;
    if (!out) throw new Error("no pipe");
    this.#answers = createInterface({ input: out })[Symbol.asyncIterator]();
  }

  async exec(sql: string): Promise<void> {
    await this.#ask("exec", sql);
  }

  all(sql: string): Promise<Record<string, unknown>[]> {
    return this.#ask("all", sql) as Promise<Record<string, unknown>[]>;
  }

  /** Exits normally, with its database closed. */
  async quit(): Promise<void> {
    await this.#end(() => this.#child.stdin?.end());
  }

  /** Is killed, and leaves its write-ahead log and shared memory behind. */
  async die(): Promise<void> {
    await this.#end(() => this.#child.stdin?.write(`["die"]\n`));
  }

  async #ask(order: string, sql: string): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify([order, sql])}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`the owner ended at: ${sql}`);
    return JSON.parse(value) as unknown;
  }

  async #end(how: () => void): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = new Promise((resolve) => this.#child.once("exit", resolve));
    how();
    await exit;
  }
}
