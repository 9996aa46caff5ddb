import { join } from "node:path";
import type { RejectedStatement } from "../views/narrative.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { plain } from "../base/text/inert.ts";
import { writeAtomic } from "../answers/workspace/write.ts";
import type { Problem } from "./checks/problem.ts";

/** Everything that was rejected in a narration, ordered by task. Every run derives it again from the answers. */
export class RejectedList {
  readonly #byTask = new Map<string, RejectedStatement[]>();
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  add(task: string, attempt: number, problems: readonly Problem[], answer: unknown): void {
    const list = this.#byTask.get(task) ?? [];
    this.#byTask.set(task, list);
    const seen = new Set<string>();
    for (const problem of problems) {
      // Three sentences with the same wrong citation are one problem.
      const name = JSON.stringify([problem.rule, problem.path, problem.message]);
      if (!seen.has(name)) list.push({ task, attempt, ...problem, said: this.#saidAt(answer, problem.path) });
      seen.add(name);
    }
  }

  all(): RejectedStatement[] {
    return [...this.#byTask].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, list]) => list);
  }

  write(folder: string): void {
    writeAtomic(
      join(folder, "rejected.jsonl"),
      this.all()
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(""),
    );
  }

  /** The statement at a path; for the path of a citation, the statement it belongs to. */
  #saidAt(answer: unknown, path: string): string | null {
    let at: unknown = answer;
    let around: string | null = null;
    for (const [part] of path.matchAll(/[^.[\]]+/g)) {
      around = statementIn(at) ?? around;
      at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[part] : undefined;
    }
    const text =
      typeof at === "string" && !/citations|evidence_refs|covered_turns/.test(path) ? at : (statementIn(at) ?? around);
    return text === null ? null : plain(this.#redactor.text(text.slice(0, 500)));
  }
}

function statementIn(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const fields = value as Record<string, unknown>;
  const found = ["summary", "statement", "text", "title"]
    .map((key) => fields[key])
    .find((one) => typeof one === "string");
  return typeof found === "string" ? found : null;
}
