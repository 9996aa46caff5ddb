import { dirname } from "node:path";
import type { UnreadableBody } from "../../record/record.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { LineReading } from "../kit/reading.ts";
import { messageVerdict, meta, tailVerdict } from "./calls.ts";
import { TypingTimes } from "./discover.ts";
import { RunLines, headerTime, locateRun, runKey, sessionIdOf, type LexState, type RunLine } from "./native.ts";
import {
  blankVerdict,
  freshState,
  loadState,
  moreVerdict,
  promptVerdict,
  replyVerdict,
  verdict,
  type RunState,
  type SavedState,
  type Scene,
  type Verdict,
} from "./rules.ts";

/** One pass over one run of a history file: one entry per physical line, numbered as in the file. */
export function readRun(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new RunReading(ref, cursor, ctx);
}

class RunReading extends LineReading<RunLine, RunState, RunLines> {
  readonly #path: string;
  readonly #times: TypingTimes;
  readonly #started: number | null;
  readonly #session: string;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const { run, until } = locateRun(ref, ctx.meter);
    const saved = cursor ? loadState(cursor.state) : freshState(run.key === runKey(0));
    super(ctx, new RunLines(ref.path, cursor ?? run.from, saved.lexer, ctx), saved.run);
    this.#path = ref.path;
    this.#session = sessionIdOf(ref);
    this.#started = run.header === null ? null : headerTime(run.header);
    this.#times = new TypingTimes(ref.path, this.#started, until);
  }

  protected override savedState(lexer: LexState = this.lines.lexer): SavedState {
    return { run: { ...this.state }, lexer };
  }

  protected override entryOf(line: RunLine, before: LineStartCursor): Entry {
    const id = `${this.#session}:${line.line}`;
    const mark = { ...before, state: this.savedState(line.before) };
    const found = judge({
      line,
      lines: this.lines,
      state: this.state,
      times: this.#times,
      path: this.#path,
      started: this.#started,
      id,
      full: this.ctx.detail === "full",
    });
    this.#note(found);
    // Entries after an uncertain one are read again with it, so they are uncertain too.
    if (found.open || !line.terminated) this.holdCursorAt(mark);
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
      tentative: this.isHeld,
    };
  }

  #note(found: Verdict): void {
    for (const body of found.records) {
      if (body.type === "session_meta" && body.agent_version !== null) this.state.met = body.agent_version;
    }
    this.counter.countVersion(this.state.met);
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

/** The history is at the root of the repository, or in the directory where Aider was started outside of one. */
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
