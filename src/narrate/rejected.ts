import { join } from "node:path";
import type { RejectedStatement } from "../answers/narrative.ts";
import type { Redactor } from "../redact/redact.ts";
import { plain } from "../text/inert.ts";
import { writeAtomic } from "../workspace/write.ts";
import type { Problem } from "./checks/problem.ts";

/** All that was rejected in a narration, in the order of its tasks: made anew from the answers by every run. */
export class RejectedList {
  readonly #byTask = new Map<string, RejectedStatement[]>();
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  add(task: string, attempt: number, problems: readonly Problem[], answer: unknown): void {
    const list = this.#byTask.get(task) ?? [];
    this.#byTask.set(task, list);
    for (const problem of problems) list.push({ task, attempt, ...problem, said: this.#saidAt(answer, problem.path) });
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

  #saidAt(answer: unknown, path: string): string | null {
    let at: unknown = answer;
    for (const [part] of path.matchAll(/[^.[\]]+/g))
      at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[part] : undefined;
    if (at === undefined) return null;
    const text = typeof at === "string" ? at : (JSON.stringify(at) ?? "");
    return plain(this.#redactor.text(text.slice(0, 500)));
  }
}
