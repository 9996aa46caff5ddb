/**
 * Writes Claude Code transcripts record by record. Three generations differ in what a reader has to survive:
 * `2.0.76` (no promptId on tool results, partial usage on all but the last line of a response), `2.1.119`
 * (progress records) and `2.1.325` (origins, permission decisions, copies of the API requests).
 *
 * @typedef {{ input: number, cached: number, cacheWrite: number, output: number, thinking: number }} ClaudeUsage
 * @typedef {{ name: string, input: Record<string, unknown> }} CallSpec
 * @typedef {CallSpec & { id: string, uuid: string }} Call
 * @typedef {{ status: import("./truth.js").Status, ms?: number, text?: string, block?: import("./text.js").Block,
 *   exitCode?: number, detail?: unknown, denial?: "user-rejected" | "permission-rule", answered?: boolean }} Outcome
 *   `answered`: the human decided in a dialog
 */
import { MARK } from "./sink.js";

const DAY_MS = 86_400_000;
const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/**
 * Where Claude Code keeps the sessions of a directory.
 * @param {string} cwd
 */
export const slug = (cwd) => cwd.replaceAll(/[^A-Za-z0-9]/g, "-");

export class ClaudeSession {
  #sink;
  #rng;
  #truth;
  #base;
  /** @type {string | null} */
  #parent = null;
  #promptId = "";
  #lastPrompt = "";
  #prompts = 0;
  #messages = 0;
  #turnStart = 0;
  #lastMessage = "";
  #lastRequest = "";

  /**
   * @param {{ sink: import("./sink.js").FileSink, rng: import("./rng.js").Rng,
   *   truth: import("./truth.js").SourceTruth, id: string, version: "2.0.76" | "2.1.119" | "2.1.325",
   *   startMs: number, cwd: string, branch: string, model: string, agentId?: string, promptId?: string,
   *   reminders?: string[] }} options
   */
  constructor(options) {
    this.#sink = options.sink;
    this.#rng = options.rng;
    this.#truth = options.truth;
    this.options = options;
    this.id = options.id;
    this.model = options.model;
    this.now = options.startMs;
    this.modern = options.version === "2.1.325";
    this.old = options.version === "2.0.76";
    this.#base = {
      userType: "external",
      ...(!this.old && { entrypoint: "cli" }),
      cwd: options.cwd,
      sessionId: options.id,
      version: options.version,
      gitBranch: options.branch,
    };
    if (options.promptId) this.#promptId = options.promptId;
    if (!options.agentId) this.#modes();
  }

  get bytes() {
    return this.#sink.bytes;
  }

  get promptId() {
    return this.#promptId;
  }

  /**
   * Lets time pass inside one piece of work, within the same UTC day (see CodexSession).
   * @param {number} ms
   */
  work(ms) {
    const end = (Math.floor(this.now / DAY_MS) + 1) * DAY_MS - 50;
    this.now = this.now + ms < end ? this.now + Math.ceil(ms) : this.now + 1;
  }

  /** @param {number} ms may cross midnight */
  wait(ms) {
    this.now += Math.ceil(ms);
    const left = DAY_MS - (this.now % DAY_MS);
    if (left < 2000) this.now += left + 1;
  }

  /**
   * @param {string} text
   * @param {{ queued?: boolean }} [options] `queued`: typed while the agent was busy, run after it
   */
  prompt(text, { queued = false } = {}) {
    this.#truth.prompt(queued);
    this.#prompts += 1;
    this.#promptId = this.#rng.uuid4();
    this.#lastPrompt = text;
    this.#turnStart = this.now;
    const uuid = this.#rng.uuid4();
    this.#sink.line({
      type: "file-history-snapshot",
      messageId: uuid,
      snapshot: { messageId: uuid, trackedFileBackups: {}, timestamp: this.#iso() },
      isSnapshotUpdate: false,
    });
    this.#chain("user", { message: { role: "user", content: text } }, uuid, {
      ...(!this.old && { permissionMode: "default" }),
      ...(this.modern && {
        origin: { kind: "human" },
        promptSource: queued ? "queued" : "typed",
        turnOrigin: "human",
        turnPosition: { promptIndex: this.#prompts, turnIndex: this.#prompts },
      }),
    });
    if (this.modern && this.#prompts === 1) this.#attachments();
    this.work(60);
  }

  /**
   * The first record of a subagent file: the task, written by the parent agent.
   * @param {string} text
   */
  task(text) {
    this.#chain("user", { message: { role: "user", content: text } });
    this.work(60);
  }

  /** @param {string} text the queue as it stands while the agent is still busy */
  enqueue(text) {
    this.#queue("enqueue", text);
  }

  dequeue() {
    this.#queue("dequeue");
  }

  /**
   * A prompt typed while the agent was busy and handed to the running turn: no user record ever holds it.
   * @param {string} text
   */
  steer(text) {
    this.#truth.prompt(true);
    this.#queue("enqueue", text);
    this.work(200);
    this.#queue("remove");
    this.#chain("attachment", { attachment: { type: "queued_command", prompt: text, commandMode: "prompt" } });
  }

  /**
   * One model response: a line per content block, all with the same message id.
   * @param {{ thinking?: string, text?: string, calls?: CallSpec[], usage: ClaudeUsage, stop?: string | null }} response
   * @returns {Call[]}
   */
  respond({ thinking, text, calls = [], usage, stop = calls.length > 0 ? "tool_use" : "end_turn" }) {
    this.work(1200);
    const messageId = `msg_01${this.#rng.base62(22)}`;
    const requestId = `req_011${this.#rng.base62(21)}`;
    if (this.modern) this.#request();
    /** @type {object[]} */
    const blocks = [];
    if (thinking) blocks.push({ type: "thinking", thinking, signature: `EuYB${this.#rng.base62(180)}` });
    if (text) blocks.push({ type: "text", text });
    const made = calls.map((call) => ({ ...call, id: `toolu_01${this.#rng.base62(22)}`, uuid: "" }));
    for (const call of made) blocks.push({ type: "tool_use", id: call.id, name: call.name, input: call.input });
    this.#lastMessage = messageId;
    blocks.forEach((block, index) => {
      const last = index === blocks.length - 1;
      // Older versions wrote each line when its block was done: only the last one knows the real output.
      const output = this.old && !last ? Math.min(usage.output, 1 + index * 7) : usage.output;
      const uuid = this.#chain(
        "assistant",
        {
          message: {
            id: messageId,
            type: "message",
            role: "assistant",
            model: this.model,
            content: [block],
            stop_reason: this.old && !last ? null : stop,
            stop_sequence: null,
            usage: this.#wire(usage, output),
            ...(this.modern && { stop_details: null }),
          },
          ...(this.modern && {
            ...("thinking" in block && { thinkingDurationMs: 900, thinkingDisplay: "updates" }),
            ...("input" in block && { toolInputStreamMs: 120 }),
            apiBlockIndex: index,
          }),
          requestId,
          ...(this.modern && {
            requestRef: this.#lastRequest,
            requestedModel: this.model,
            promptCacheRequested: "5m",
            ...(this.options.agentId && { attributionAgent: "general-purpose" }),
          }),
        },
        undefined,
        this.modern ? { effort: "medium", perTurnEffort: "medium", madeBy: "model" } : {},
      );
      const call = made[index - (blocks.length - made.length)];
      if (call) call.uuid = uuid;
      this.work(400);
    });
    this.#truth.response(this.now, this.model, {
      input: usage.input,
      cached: usage.cached,
      cacheWrite: usage.cacheWrite,
      output: usage.output,
      // Only the newest files say how much of the output was thinking.
      reasoning: this.modern ? usage.thinking : 0,
    });
    return made;
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   */
  result(call, outcome) {
    this.#truth.tool(outcome.status);
    if (outcome.status === "pending") return;
    const ms = outcome.ms ?? 50;
    if (this.options.version === "2.1.119" && call.name === "Bash" && ms > 2000) this.#progress(call, ms);
    this.work(ms);
    const block = outcome.block?.pieces;
    const body = outcome.block ? MARK : (outcome.text ?? "");
    const [content, detail, error] = this.#shape(call, outcome, body);
    const result = {
      type: "tool_result",
      content,
      ...(error ? { is_error: true } : call.name === "Bash" && { is_error: false }),
      tool_use_id: call.id,
    };
    if (this.modern) this.#blob({ role: "user", content: [result] }, block);
    this.#chain(
      "user",
      { message: { role: "user", content: [result] } },
      undefined,
      {
        toolUseResult: detail,
        ...(outcome.denial && this.modern && { toolDenialKind: outcome.denial }),
        ...(this.modern && call.name === "Bash" && !outcome.denial && { sandboxed: false }),
        ...(!this.old && { sourceToolAssistantUUID: call.uuid }),
        ...(this.modern && this.#decision(outcome)),
      },
      block,
    );
  }

  /**
   * Escape: the tool that runs is reported as rejected, and a marker follows.
   * @param {Call} call
   * @param {number} ms
   */
  interrupt(call, ms) {
    this.result(call, { status: "interrupted", ms, denial: "user-rejected" });
    this.work(2);
    this.#chain(
      "user",
      { message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] } },
      undefined,
      this.modern ? { interruptedMessageId: this.#lastMessage } : {},
    );
    this.#truth.turns.aborted += 1;
    this.#tail();
  }

  /**
   * The end of a turn that ran to its end.
   * @param {{ notified?: boolean }} [options] `notified`: a task notification, not a prompt, began this work
   */
  complete({ notified = false } = {}) {
    if (!notified) this.#truth.turns.completed += 1;
    this.work(20);
    if (!this.old) {
      this.#chain("system", {
        subtype: "turn_duration",
        durationMs: this.now - this.#turnStart,
        ...(this.modern && { messageCount: this.#messages }),
        isMeta: false,
      });
    }
    this.#tail();
  }

  /**
   * Automatic compaction. The request that makes the summary leaves no assistant record.
   * @param {string} summary
   * @param {number} before
   * @param {number} after
   */
  compact(summary, before, after) {
    this.#truth.compactions += 1;
    this.work(9000);
    const leaf = this.#parent;
    this.#parent = null;
    this.#chain("system", {
      subtype: "compact_boundary",
      content: "Conversation compacted",
      level: "info",
      logicalParentUuid: leaf,
      isMeta: false,
      compactMetadata: { trigger: "auto", preTokens: before, ...(!this.old && { postTokens: after }) },
    });
    const text = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n${summary}`;
    this.#chain("user", { message: { role: "user", content: text } }, undefined, {
      isVisibleInTranscriptOnly: true,
      isCompactSummary: true,
    });
  }

  /** @param {string} title */
  title(title) {
    this.#sink.line({ type: "ai-title", aiTitle: title, sessionId: this.id });
  }

  /**
   * @param {string} taskId
   * @param {Call} call
   * @param {string} summary
   * @param {string} report
   * @param {{ tokens: number, tools: number, ms: number }} cost
   */
  notify(taskId, call, summary, report, cost) {
    const text = `<task-notification>\n<task-id>${taskId}</task-id>\n<tool-use-id>${call.id}</tool-use-id>\n<status>completed</status>\n<summary>${summary}</summary>\n<result>${report}</result>\n<usage><subagent_tokens>${cost.tokens}</subagent_tokens><tool_uses>${cost.tools}</tool_uses><duration_ms>${cost.ms}</duration_ms></usage>\n</task-notification>`;
    this.#queue("enqueue", text);
    this.work(30);
    this.#queue("dequeue");
    this.#promptId = this.#rng.uuid4();
    this.#chain("user", { message: { role: "user", content: text } }, undefined, {
      permissionMode: "default",
      origin: { kind: "task-notification", producer: "session-task" },
      promptSource: "system",
      turnOrigin: "task_notification",
      turnPosition: { promptIndex: this.#prompts, turnIndex: this.#prompts + 1 },
      queueSkipAttachments: true,
    });
  }

  /** @param {{ open?: boolean }} [options] `open`: the process died inside a turn */
  close({ open = false } = {}) {
    if (open) this.#truth.turns.open += 1;
    this.#sink.close();
    this.#truth.closed(this.#sink, this.options.agentId ? "subagent" : "root");
  }

  #iso() {
    return new Date(this.now).toISOString();
  }

  #modes() {
    if (this.modern) this.#sink.line({ type: "mode", mode: "normal", sessionId: this.id });
    if (!this.old) this.#sink.line({ type: "permission-mode", permissionMode: "default", sessionId: this.id });
    if (this.modern) this.#sink.line({ type: "atis-latch", atis: "", sessionId: this.id });
  }

  #tail() {
    if (this.old) return;
    this.#sink.line({
      type: "last-prompt",
      lastPrompt: this.#lastPrompt,
      leafUuid: this.#parent,
      sessionId: this.id,
    });
    this.#modes();
  }

  #attachments() {
    const { cwd, reminders = [] } = this.options;
    const date = this.#iso().slice(0, 10);
    const attach = (/** @type {object} */ attachment, /** @type {string} */ text) =>
      this.#chain("attachment", { attachment }, undefined, {
        rendered: [{ content: `<system-reminder>\n${text}\n</system-reminder>` }],
        renderedRole: "system",
      });
    const host = { platform: "linux", shell: "bash", osVersion: "Linux 6.8.0" };
    const git = { isWorktree: false, isGitRepo: true, additionalWorkingDirectories: [] };
    const snapshot = { workingDirectory: cwd, ...git, ...host };
    attach({ type: "environment", snapshot }, `# Environment\n - Primary working directory: ${cwd}`);
    const power = `You are powered by the model ${this.model}.`;
    attach({ type: "model", identity: { modelId: this.model }, text: power }, power);
    for (const content of reminders) attach({ type: "skill_listing", content, isInitial: true }, content);
    attach({ type: "date", date }, `Today's date is ${date}.`);
  }

  #request() {
    const base = this.#lastRequest;
    this.#lastRequest = this.#rng.uuid4();
    this.#sink.line({
      type: "api-request",
      sessionId: this.id,
      id: this.#lastRequest,
      timestamp: this.#iso(),
      version: this.options.version,
      querySource: this.options.agentId ? "agent:builtin:general-purpose" : "repl_main_thread",
      shapeHash: "bbb0d6e20dcdf5a3e3887892500dde4411f9a7685a2c2257bc1a1a9abaf45a92",
      params: { model: this.model, max_tokens: 128_000, thinking: { type: "adaptive", display: "updates" } },
      ...(base && { base }),
      keep: this.#messages,
      tail: [this.#rng.hex(64)],
      requestDigest: this.#rng.hex(64),
    });
  }

  /**
   * @param {object} message
   * @param {readonly Buffer[]} [block]
   */
  #blob(message, block) {
    this.#sink.line({ type: "api-request-blob", sessionId: this.id, hash: this.#rng.hex(64), message }, block);
  }

  /**
   * @param {string} operation
   * @param {string} [content]
   */
  #queue(operation, content) {
    this.#sink.line({
      type: "queue-operation",
      operation,
      timestamp: this.#iso(),
      sessionId: this.id,
      ...(content !== undefined && { content }),
    });
  }

  /**
   * @param {Call} call
   * @param {number} ms
   */
  #progress(call, ms) {
    this.#chain("progress", {
      data: {
        type: "bash_progress",
        output: "",
        fullOutput: "",
        elapsedTimeSeconds: Math.floor(ms / 1000),
        totalLines: 0,
      },
      toolUseID: "bash-progress-0",
      parentToolUseID: call.id,
    });
  }

  /**
   * What the model is told, what the client keeps beside it, and whether it counts as an error.
   * @param {Call} call
   * @param {Outcome} outcome
   * @param {string} body
   * @returns {[unknown, unknown, boolean]}
   */
  #shape(call, outcome, body) {
    if (outcome.denial === "user-rejected") return [REJECTED, "User rejected tool use", true];
    if (outcome.denial === "permission-rule") {
      const why = `Permission to use ${call.name} with command ${String(call.input.command)} has been denied.`;
      return [why, `Error: ${why}`, true];
    }
    if (outcome.status === "failed") {
      const why =
        outcome.exitCode === undefined
          ? `<tool_use_error>${body}</tool_use_error>`
          : `Exit code ${outcome.exitCode}\n${body}`;
      return [why, `Error: ${why}`, true];
    }
    const path = call.input.file_path;
    switch (call.name) {
      case "Read":
        return [
          body,
          { type: "text", file: { filePath: path, content: body, numLines: 80, startLine: 1, totalLines: 80 } },
          false,
        ];
      case "Edit":
        return [`The file ${String(path)} has been updated successfully.`, outcome.detail, false];
      case "Write":
        return [`File created successfully at: ${String(path)}`, outcome.detail, false];
      case "Bash":
        return [body, { stdout: body, stderr: "", interrupted: false, isImage: false, noOutputExpected: false }, false];
      case "Agent":
      case "Task":
        return [[{ type: "text", text: body }], outcome.detail, false];
      default:
        return [body, outcome.detail ?? body, false];
    }
  }

  /** @param {Outcome} outcome */
  #decision(outcome) {
    if (outcome.denial === "user-rejected") return {};
    if (outcome.denial) {
      const reason = { reasonType: "rule", ruleSource: "projectSettings", reasonCode: "rule:projectSettings" };
      return { permissionDecision: { decision: "reject", source: "config", ...reason } };
    }
    if (outcome.answered) {
      const grant = { source: "user_temporary", grantScope: "once", reasonCode: "unknown" };
      return { permissionDecision: { decision: "accept", ...grant } };
    }
    return {
      permissionDecision: { decision: "accept", source: "config", reasonType: "rule", ruleSource: "userSettings" },
    };
  }

  /**
   * @param {ClaudeUsage} usage
   * @param {number} output
   */
  #wire(usage, output) {
    return {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cached,
      output_tokens: output,
      ...(this.modern && { output_tokens_details: { thinking_tokens: usage.thinking } }),
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: "standard",
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: usage.cacheWrite },
      ...(this.modern && { inference_geo: "", iterations: [], speed: "standard", fallback_credit: null }),
    };
  }

  /**
   * Appends a record to the chain and returns its uuid.
   * @param {string} type
   * @param {object} body
   * @param {string} [uuid]
   * @param {object} [extra]
   * @param {readonly Buffer[]} [block]
   * @returns {string}
   */
  #chain(type, body, uuid = this.#rng.uuid4(), extra = {}, block) {
    const { agentId } = this.options;
    this.#messages += 1;
    this.#sink.line(
      {
        parentUuid: this.#parent,
        isSidechain: agentId !== undefined,
        ...(type === "user" && !this.old && { promptId: this.#promptId }),
        ...(agentId && { agentId }),
        ...body,
        type,
        uuid,
        timestamp: this.#iso(),
        ...extra,
        // 2.1.325 writes the id a second time on what the API loop appends.
        ...(this.modern && !agentId && (type === "assistant" || "toolUseResult" in extra) && { session_id: this.id }),
        ...this.#base,
      },
      block,
    );
    this.#parent = uuid;
    return uuid;
  }
}
