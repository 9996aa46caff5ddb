import { dirname } from "node:path";
import type { UnreadableBody } from "../../format/record.ts";
import type { Cursor, Drift, Entry, ReadContext, Reading, SourceRef } from "../contract.ts";
import { runKey, sessionIdOf } from "./identity.ts";
import { TypingTimes } from "./input-history.ts";
import { RunLines, type RunLine } from "./lines.ts";
import { messageVerdict, meta, tailVerdict } from "./messages.ts";
import { moreVerdict, promptVerdict } from "./prompts.ts";
import { blankVerdict, replyVerdict } from "./replies.ts";
import { headerTime, locateRun } from "./runs.ts";
import { freshState, loadState, type RunState } from "./state.ts";
import { verdict, type Scene, type Verdict } from "./verdict.ts";

/** One pass over one run of a history file: one entry per physical line, numbered as in the file. */
export function readRun(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new RunReading(ref, cursor, ctx);
}

class RunReading implements Reading {
  readonly #ref: SourceRef;
  readonly #ctx: ReadContext;
  readonly #lines: RunLines;
  readonly #state: RunState;
  readonly #times: TypingTimes;
  readonly #started: number | null;
  readonly #session: string;
  readonly #versions: Record<string, number> = {};
  /** Set at the first uncertain entry: nothing from there on may be skipped by the next read. */
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    this.#session = sessionIdOf(ref);
    const { run, until } = locateRun(ref, ctx.meter);
    const saved = cursor ? loadState(cursor.state) : freshState(run.key === runKey(0));
    this.#state = saved.run;
    this.#started = run.header === null ? null : headerTime(run.header);
    this.#times = new TypingTimes(ref.path, this.#started, until);
    this.#lines = new RunLines(ref.path, cursor ?? run.from, saved.lexer, ctx);
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    try {
      for (;;) {
        if (this.#ctx.signal?.aborted) return;
        const before = this.#here();
        const line = this.#lines.next();
        if (!line) return;
        yield this.#entry(line, before);
      }
    } finally {
      this.#lines.close();
    }
  }

  cursor(): Cursor {
    return structuredClone(this.#held ?? this.#here());
  }

  drift(): Drift {
    return { versions: { ...this.#versions }, unknownTypes: {}, unknownFields: {} };
  }

  #here(): Cursor {
    return { ...this.#lines.position, state: { run: { ...this.#state }, lexer: this.#lines.lexer } };
  }

  #entry(line: RunLine, before: Cursor): Entry {
    const id = `${this.#session}:${line.line}`;
    const found = judge({
      line,
      lines: this.#lines,
      state: this.#state,
      times: this.#times,
      path: this.#ref.path,
      started: this.#started,
      id,
      full: this.#ctx.detail === "full",
    });
    this.#note(found);
    // What follows an uncertain entry is read again with it, so it is uncertain too.
    if (found.open || !line.terminated) this.#held ??= before;
    return {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: found.class,
      reason: found.reason,
      native: found.native,
      time: found.time,
      position: line.line,
      identity: id,
      records: found.records,
      tentative: this.#held !== null,
    };
  }

  #note(found: Verdict): void {
    for (const body of found.records) {
      if (body.type === "session_meta" && body.agent_version !== null) this.#state.met = body.agent_version;
    }
    this.#versions[this.#state.met] = (this.#versions[this.#state.met] ?? 0) + 1;
  }
}

function judge(scene: Scene): Verdict {
  switch (scene.line.kind) {
    case "header":
      return header(scene);
    case "blank":
      return blankVerdict(scene);
    case "prompt":
      return promptVerdict(scene);
    case "prompt_more":
      return moreVerdict(scene);
    case "tool":
      return messageVerdict(scene);
    case "tool_more":
      return tailVerdict(scene);
    case "reply":
      return replyVerdict(scene);
    case "problem":
      return problem(scene);
  }
}

/** The history lies at the root of the repository, or where Aider was started without one. */
function header({ path, started }: Scene): Verdict {
  const started_at = started === null ? null : new Date(started).toISOString();
  return verdict("session", "aider.header", "header", [{ ...meta(), cwd: dirname(path), started_at }], {
    time: started,
  });
}

function problem({ line }: Scene): Verdict {
  const reason = line.text === null ? "too_large" : "nul_bytes";
  const hint = "this line cannot be text Aider wrote; a crashed or full file system leaves such lines";
  const body: UnreadableBody = { type: "unreadable", reason, bytes: line.bytes, hint };
  return verdict("corrupt", reason === "too_large" ? "aider.line.too_large" : "aider.line.nul_bytes", "(unreadable)", [
    body,
  ]);
}
