/**
 * Writes Codex rollouts record by record, in the order and with the field names Codex itself uses:
 * `legacy` as 0.130 writes it, `paginated` as 0.166 does on a model with classic tools.
 *
 * @typedef {{ input: number, cached: number, output: number, reasoning: number }} CodexUsage
 *   as on the wire: `input` includes `cached`
 * @typedef {{ kind: "exec", cmd: string }
 *   | { kind: "patch", path: string, patch: string, diff: string, add?: boolean }
 *   | { kind: "plan", steps: { step: string, status: string }[] }
 *   | { kind: "ask", questions: { id: string, header: string, question: string,
 *         options: { label: string, description: string }[] }[] }} CallSpec
 * @typedef {CallSpec & { id: string }} Call
 * @typedef {{ status: import("./truth.js").Status, exitCode?: number, ms?: number, text?: string,
 *   block?: import("./text.js").Block, answers?: Record<string, string> }} Outcome
 */
import { MARK } from "./sink.js";

const DAY_MS = 86_400_000;
const CONTEXT_WINDOW = 258_400;
const ABORTED = {
  legacy:
    "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>",
  paginated:
    "<turn_aborted>\nThe previous turn was interrupted on purpose. Any running unified exec processes may still be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>",
};
const SUMMARY_PREFIX =
  "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n";

/** @param {CodexUsage} u */
const wire = (u) => ({
  input_tokens: u.input,
  cached_input_tokens: u.cached,
  output_tokens: u.output,
  reasoning_output_tokens: u.reasoning,
  total_tokens: u.input + u.output,
});
/** @param {CodexUsage} u */
const wireWithWrites = (u) => ({
  input_tokens: u.input,
  cached_input_tokens: u.cached,
  cache_write_input_tokens: 0,
  output_tokens: u.output,
  reasoning_output_tokens: u.reasoning,
  total_tokens: u.input + u.output,
});
/** @returns {CodexUsage} */
const none = () => ({ input: 0, cached: 0, output: 0, reasoning: 0 });
/**
 * @param {CodexUsage} sum
 * @param {CodexUsage} u
 */
function add(sum, u) {
  sum.input += u.input;
  sum.cached += u.cached;
  sum.output += u.output;
  sum.reasoning += u.reasoning;
}

/**
 * Where Codex puts the rollout of a thread started at the given time.
 * @param {number} ms
 * @param {string} id
 */
export function rolloutPath(ms, id) {
  const stamp = new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-");
  return `sessions/${stamp.slice(0, 10).replaceAll("-", "/")}/rollout-${stamp}-${id}.jsonl`;
}

export class CodexSession {
  #sink;
  #rng;
  #truth;
  #paginated;
  #ordinal = 0;
  #turn = "";
  #turnStart = 0;
  #turns = 0;
  #order = 0;
  #total = none();
  #turnTotal = none();
  #last = none();
  #counted = false;
  #owed = false;
  #finalText = "";
  /** @type {string[]} */
  #prompts = [];

  /**
   * @param {{ sink: import("./sink.js").FileSink, rng: import("./rng.js").Rng,
   *   truth: import("./truth.js").SourceTruth, id: string, dialect: "legacy" | "paginated", startMs: number,
   *   cwd: string, branch: string, commit: string, remote: string | undefined, model: string,
   *   instructions: string, developer: string, agentsMd?: string, approval?: string, sandbox?: string }} options
   */
  constructor(options) {
    this.#sink = options.sink;
    this.#rng = options.rng;
    this.#truth = options.truth;
    this.#paginated = options.dialect === "paginated";
    this.options = options;
    this.id = options.id;
    this.model = options.model;
    this.now = options.startMs;
    this.#meta();
  }

  get bytes() {
    return this.#sink.bytes;
  }

  /**
   * Lets time pass inside one piece of work. A response and its `token_count` must fall on the same UTC day,
   * or "the day it was spent" would have two right answers.
   * @param {number} ms
   */
  work(ms) {
    const end = (Math.floor(this.now / DAY_MS) + 1) * DAY_MS - 50;
    this.now = this.now + ms < end ? this.now + Math.ceil(ms) : this.now + 1;
  }

  /**
   * Lets time pass between pieces of work; may cross midnight.
   * @param {number} ms
   */
  wait(ms) {
    this.now += Math.ceil(ms);
    // Stay clear of the last seconds of a day, so that `work` has room.
    const left = DAY_MS - (this.now % DAY_MS);
    if (left < 2000) this.now += left + 1;
  }

  /**
   * @param {string} prompt
   * @param {{ mode?: "default" | "plan" }} [options]
   */
  begin(prompt, { mode = "default" } = {}) {
    const first = this.#turns === 0;
    this.#turns += 1;
    this.#turn = this.#rng.uuid7(this.now);
    this.#turnStart = this.now;
    this.#turnTotal = none();
    this.#finalText = "";
    if (this.#paginated && !first) this.#settings(mode);
    this.#event({
      type: "task_started",
      ...(this.#paginated && {
        turn_attribution: {
          turn_id: this.#turn,
          turn_trigger: "user",
          parent_turn_id: null,
          initiating_agent_path: null,
          root_turn_id: this.#turn,
        },
      }),
      turn_id: this.#turn,
      ...(this.#paginated && { root_turn_id: this.#turn }),
      started_at: Math.floor(this.now / 1000),
      model_context_window: CONTEXT_WINDOW,
      collaboration_mode_kind: mode,
    });
    this.work(4);
    if (first) this.#context();
    this.#turnContext(mode);
    if (this.#paginated && first) this.#settings(mode);
    this.work(6);
    this.#user(prompt, false);
    if (!this.#paginated && first) this.#tokenCount(true);
  }

  /**
   * A prompt typed into the running turn.
   * @param {string} prompt
   */
  steer(prompt) {
    this.#user(prompt, true);
  }

  /**
   * One model response; `calls` come back with their ids, to be settled.
   * @param {{ reasoning?: string, text?: string, calls?: CallSpec[], usage: CodexUsage, killed?: boolean }} response
   * @returns {Call[]}
   */
  respond({ reasoning, text, calls = [], usage, killed = false }) {
    if (reasoning) this.#reasoning(reasoning);
    if (text) this.#assistant(text);
    const made = calls.map((spec) => this.#call(spec));
    add(this.#total, usage);
    add(this.#turnTotal, usage);
    this.#last = usage;
    this.#counted = true;
    const spent = {
      input: usage.input - usage.cached,
      cached: usage.cached,
      cacheWrite: 0,
      output: usage.output,
      reasoning: usage.reasoning,
    };
    this.#truth.response(this.now, this.model, spent);
    if (this.#paginated) {
      this.#usageRecord(usage);
      // 0.166 writes token_count only after the tools have run.
      if (killed) this.#truth.uncounted(spent);
      else this.#owed = true;
    } else this.#tokenCount();
    if (calls.length === 0) this.settled();
    return made;
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   */
  settle(call, outcome) {
    this.#truth.tool(outcome.status);
    if (outcome.status === "pending") return;
    const ms = outcome.ms ?? 40;
    const started = this.now;
    this.work(ms);
    const block = outcome.block?.pieces;
    const body = outcome.block ? MARK : (outcome.text ?? "");
    if (outcome.status === "interrupted") {
      return this.#output(call, `aborted by user after ${(ms / 1000).toFixed(1)}s`);
    }
    if (call.kind === "plan") return this.#output(call, "Plan updated");
    if (call.kind === "ask") {
      const chosen = outcome.answers ?? {};
      const answers = Object.entries(chosen).map(([id, answer]) => [id, { answers: [answer] }]);
      this.#output(call, JSON.stringify({ answers: Object.fromEntries(answers) }));
      if (this.#paginated) {
        const questions = call.questions.map(({ id, question }) => ({ question, answer: chosen[id] }));
        const order = { acceptance_order: this.#order };
        this.#record("retained_context", {
          type: "verified_answer",
          turn_id: this.#turn,
          call_id: call.id,
          questions,
          ...order,
        });
      }
      return;
    }
    if (call.kind === "patch") return this.#patched(call, outcome, started);
    const exitCode = outcome.exitCode ?? 0;
    if (this.#paginated) {
      this.#item(
        {
          type: "CommandExecution",
          id: call.id,
          process_id: String(this.#rng.int(1000, 99_999)),
          command: ["/bin/bash", "-lc", call.cmd],
          cwd: `file://${this.options.cwd}`,
          parsed_cmd: [{ type: "unknown", cmd: call.cmd }],
          source: "unified_exec_startup",
          status: exitCode === 0 ? "completed" : "failed",
          aggregated_output: body,
          exit_code: exitCode,
          duration: { secs: Math.floor(ms / 1000), nanos: (Math.floor(ms) % 1000) * 1_000_000 },
        },
        started,
        block,
      );
    }
    const tokens = outcome.block?.tokens ?? Math.ceil((outcome.text ?? "").length / 4);
    const head = `Chunk ID: ${this.#rng.hex(6)}\nWall time: ${(ms / 1000).toFixed(4)} seconds\nProcess exited with code ${exitCode}\nOriginal token count: ${tokens}\nOutput:\n`;
    this.#output(call, head + body, block);
  }

  /**
   * To be called once the calls of a response have run.
   * @param {{ again?: boolean }} [options] `again`: also repeat the last `token_count`, as rate-limit updates do
   */
  settled({ again = false } = {}) {
    if (this.#owed) {
      this.#owed = false;
      this.#tokenCount();
    }
    if (again) {
      this.work(30);
      this.#tokenCount();
    }
  }

  /**
   * Automatic compaction in the middle of a turn; the request that makes the summary is a response too.
   * @param {string} summary
   * @param {CodexUsage} usage
   * @param {number} estimate tokens left in the context
   */
  compact(summary, usage, estimate) {
    this.#truth.compactions += 1;
    this.work(4000);
    const started = this.now;
    if (this.#paginated) this.#assistant(summary, { echo: false });
    this.respond({ usage });
    const history = [...this.#prompts, SUMMARY_PREFIX + summary].map((text) => ({
      type: "message",
      role: "user",
      content: [{ type: "input_text", text }],
    }));
    this.#record("compacted", { message: SUMMARY_PREFIX + summary, replacement_history: history });
    this.#turnContext("default");
    // A gauge of the context, not usage: only total_tokens is set, and the running total stays.
    this.#tokenCount(false, estimate);
    if (this.#paginated) this.#item({ type: "ContextCompaction", id: this.#rng.uuid7(this.now) }, started);
    else this.#event({ type: "context_compacted" });
  }

  complete() {
    this.#truth.turns.completed += 1;
    this.work(2);
    this.#event({
      type: "task_complete",
      ...(this.#paginated && { root_turn_id: this.#turn }),
      turn_id: this.#turn,
      last_agent_message: this.#finalText,
      ...(this.#paginated && { started_at: Math.floor(this.#turnStart / 1000) }),
      completed_at: Math.floor(this.now / 1000),
      duration_ms: this.now - this.#turnStart,
      time_to_first_token_ms: 900,
    });
  }

  abort() {
    this.#truth.turns.aborted += 1;
    this.settled();
    this.#message(this.#paginated ? "developer" : "user", [ABORTED[this.options.dialect]], ["generic.turn_aborted"]);
    this.#event({
      type: "turn_aborted",
      ...(this.#paginated && { root_turn_id: this.#turn }),
      turn_id: this.#turn,
      reason: "interrupted",
      ...(this.#paginated && { started_at: Math.floor(this.#turnStart / 1000) }),
      completed_at: Math.floor(this.now / 1000),
      duration_ms: this.now - this.#turnStart,
    });
  }

  /** @param {{ open?: boolean }} [options] `open`: the process died inside a turn */
  close({ open = false } = {}) {
    if (open) this.#truth.turns.open += 1;
    this.#sink.close();
    this.#truth.closed(this.#sink, "root");
  }

  #meta() {
    const { options } = this;
    const git = { commit_hash: options.commit, branch: options.branch, repository_url: options.remote };
    this.#record(
      "session_meta",
      this.#paginated
        ? {
            session_id: this.id,
            id: this.id,
            timestamp: new Date(this.now).toISOString(),
            cwd: options.cwd,
            runtime_workspace_roots: [options.cwd],
            originator: "codex-tui",
            cli_version: "0.166.0",
            source: "cli",
            thread_source: "user",
            model_provider: "openai",
            base_instructions: { text: options.instructions, provenance: { type: "model", model: this.model } },
            history_mode: "paginated",
            context_window: { window_id: this.#rng.uuid7(this.now) },
            git,
          }
        : {
            id: this.id,
            timestamp: new Date(this.now).toISOString(),
            cwd: options.cwd,
            originator: "codex-tui",
            cli_version: "0.130.0",
            source: "cli",
            thread_source: "user",
            model_provider: "openai",
            base_instructions: { text: options.instructions },
            git,
          },
    );
    this.work(2);
  }

  #context() {
    const { cwd, developer, agentsMd } = this.options;
    const date = new Date(this.now).toISOString().slice(0, 10);
    const environment = `<environment_context>\n  <cwd>${cwd}</cwd>\n  <shell>bash</shell>\n  <current_date>${date}</current_date>\n  <timezone>Etc/UTC</timezone>\n</environment_context>`;
    const rules = `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${agentsMd}\n</INSTRUCTIONS>`;
    this.#message("developer", [developer], ["permissions.instructions"]);
    if (agentsMd) {
      this.#message("user", [rules, environment], ["agents_md.instructions", "environments.environment_context"]);
    } else this.#message("user", [environment], ["environments.environment_context"]);
    if (this.#paginated) {
      this.#record("world_state", {
        full: true,
        state: {
          agents_md: {},
          collaboration_mode: { mode: "default", model: this.model, instructions: this.#rng.hex(40) },
          environments: {
            environments: { local: { cwd, status: "available", shell: "bash" } },
            current_date: date,
            timezone: "Etc/UTC",
          },
          model: this.model,
          realtime: { active: false },
        },
      });
    }
  }

  /** @param {string} mode */
  #turnContext(mode) {
    const { cwd, approval = "on-request", sandbox = "workspace-write" } = this.options;
    const settings = { model: this.model, reasoning_effort: "medium", developer_instructions: null };
    const limits = { network_access: false, exclude_tmpdir_env_var: false, exclude_slash_tmp: false };
    const policy = { type: sandbox, ...(sandbox === "workspace-write" && limits) };
    this.#record(
      "turn_context",
      this.#paginated
        ? {
            turn_id: this.#turn,
            root_turn_id: this.#turn,
            disabled_plugin_ids: [],
            cwd,
            approval_policy: approval,
            approvals_reviewer: "user",
            sandbox_policy: policy,
            model: this.model,
            collaboration_mode: { mode, settings },
            multi_agent_version: "v1",
            realtime_active: false,
            effort: "medium",
            summary: "none",
          }
        : {
            turn_id: this.#turn,
            cwd,
            current_date: new Date(this.now).toISOString().slice(0, 10),
            timezone: "Etc/UTC",
            approval_policy: approval,
            sandbox_policy: policy,
            model: this.model,
            personality: "pragmatic",
            collaboration_mode: { mode, settings },
            realtime_active: false,
            effort: "medium",
            summary: "detailed",
            truncation_policy: { mode: "tokens", limit: 10_000 },
          },
    );
  }

  /** @param {string} mode */
  #settings(mode) {
    const { cwd, approval = "on-request" } = this.options;
    this.#event({
      type: "thread_settings_applied",
      thread_id: this.id,
      thread_settings: {
        model: this.model,
        model_provider_id: "openai",
        approval_policy: approval,
        approvals_reviewer: "user",
        cwd,
        runtime_workspace_roots: [cwd],
        reasoning_summary: "detailed",
        collaboration_mode: {
          mode,
          settings: { model: this.model, reasoning_effort: "medium", developer_instructions: null },
        },
        disabled_plugin_ids: [],
      },
    });
  }

  /**
   * @param {string} text
   * @param {boolean} queued
   */
  #user(text, queued) {
    this.#truth.prompt(queued);
    this.#prompts.push(text);
    if (this.#prompts.length > 20) this.#prompts.shift();
    this.#message("user", [text], ["user.text"], "user");
    if (this.#paginated) {
      this.#item({
        type: "UserMessage",
        id: this.#rng.uuid7(this.now),
        client_id: this.#rng.uuid4(),
        content: [{ type: "text", text, text_elements: [] }],
      });
    } else this.#event({ type: "user_message", message: text, images: [], local_images: [], text_elements: [] });
    this.work(40);
  }

  /**
   * @param {string} role
   * @param {string[]} texts
   * @param {string[]} kinds
   * @param {string} [provenance]
   */
  #message(role, texts, kinds, provenance = "harness") {
    const content = texts.map((text) => ({ type: "input_text", text }));
    if (!this.#paginated) return this.#record("response_item", { type: "message", role, content });
    const id = `msg_${this.#rng.uuid7(this.now)}`;
    const origin = provenance === "user" ? { type: "user" } : { type: "harness", hook: false };
    this.#record(
      "response_item",
      {
        type: "message",
        id,
        role,
        content,
        internal_chat_message_metadata_passthrough: {
          turn_id: this.#turn,
          create_time: this.now / 1000,
          content_item_kinds: kinds,
          content_item_metadata: kinds.map(() => ({ provenance: origin })),
        },
      },
      undefined,
      provenance === "user" ? this.#retained(id, "user") : undefined,
    );
  }

  /**
   * @param {string} id
   * @param {string} role
   */
  #retained(id, role) {
    const order = this.#order;
    this.#order += 1;
    return {
      retained_source: {
        id: { message_id: id, turn_id: this.#turn, role },
        revision: `retained_${this.#rng.uuid7(this.now)}`,
        complete: true,
      },
      client_authored: false,
      user_input_order: order,
      ...(role === "user" && { mcp_attribution: { status: "none" } }),
    };
  }

  /** @param {string} text */
  #reasoning(text) {
    this.work(1500);
    const encrypted = `gAAAAAB${this.#rng.base62(200)}`;
    if (!this.#paginated) {
      this.#event({ type: "agent_reasoning", text });
      return this.#record("response_item", {
        type: "reasoning",
        summary: [{ type: "summary_text", text }],
        content: null,
        encrypted_content: encrypted,
      });
    }
    const id = `rs_${this.#rng.base62(24)}`;
    this.#item({ type: "Reasoning", id, summary_text: [text], raw_content: [] });
    this.#record("response_item", {
      type: "reasoning",
      id,
      summary: [{ type: "summary_text", text }],
      content: null,
      encrypted_content: encrypted,
      internal_chat_message_metadata_passthrough: { turn_id: this.#turn },
    });
  }

  /**
   * @param {string} text
   * @param {{ echo?: boolean }} [options]
   */
  #assistant(text, { echo = true } = {}) {
    this.work(800);
    this.#finalText = text;
    if (!this.#paginated) {
      if (echo) this.#event({ type: "agent_message", message: text, phase: null, memory_citation: null });
      return this.#record("response_item", {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text }],
      });
    }
    const id = `msg_${this.#rng.base62(24)}`;
    if (echo) this.#item({ type: "AgentMessage", id, content: [{ type: "Text", text }] });
    this.#record(
      "response_item",
      {
        type: "message",
        status: "completed",
        id,
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [] }],
        internal_chat_message_metadata_passthrough: { turn_id: this.#turn, content_item_kinds: ["unknown"] },
      },
      undefined,
      this.#retained(id, "assistant"),
    );
  }

  /**
   * @param {CallSpec} spec
   * @returns {Call}
   */
  #call(spec) {
    const call = { ...spec, id: `call_${this.#rng.base62(24)}` };
    const passthrough = this.#paginated && { internal_chat_message_metadata_passthrough: { turn_id: this.#turn } };
    this.work(5);
    if (call.kind === "patch") {
      this.#record("response_item", {
        type: "custom_tool_call",
        ...(this.#paginated && { id: `ctc_${this.#rng.base62(24)}` }),
        status: "completed",
        call_id: call.id,
        name: "apply_patch",
        input: call.patch,
        ...passthrough,
      });
      return call;
    }
    const [name, args] =
      call.kind === "exec"
        ? ["exec_command", { cmd: call.cmd }]
        : call.kind === "plan"
          ? ["update_plan", { plan: call.steps }]
          : ["request_user_input", { questions: call.questions }];
    const body = {
      type: "function_call",
      ...(this.#paginated && { status: "completed", id: `fc_${this.#rng.base62(24)}` }),
      name,
      arguments: JSON.stringify(args),
      call_id: call.id,
      ...passthrough,
    };
    const order = this.#order;
    this.#order += 1;
    this.#record("response_item", body, undefined, { client_authored: false, user_input_order: order });
    return call;
  }

  /**
   * @param {Extract<Call, { kind: "patch" }>} call
   * @param {Outcome} outcome
   * @param {number} started
   */
  #patched(call, outcome, started) {
    const path = `${this.options.cwd}/${call.path}`;
    if (outcome.status === "failed") {
      const why = outcome.text ?? "no such line";
      return this.#output(call, `apply_patch verification failed: Failed to find expected lines in ${path}:\n${why}`);
    }
    const said = `Success. Updated the following files:\n${call.add ? "A" : "M"} ${call.path}\n`;
    const change = call.add
      ? { type: "add", content: call.diff }
      : { type: "update", unified_diff: call.diff, move_path: null };
    const done = { changes: { [path]: change }, status: "completed", stdout: said, stderr: "" };
    if (this.#paginated) {
      this.#item({ type: "FileChange", id: call.id, ...done }, started);
      return this.#output(call, `Exit code: 0\nWall time: 0 seconds\nOutput:\n${said}`);
    }
    this.#event({
      type: "patch_apply_end",
      call_id: call.id,
      turn_id: this.#turn,
      stdout: said,
      stderr: "",
      success: true,
      changes: done.changes,
      status: "completed",
    });
    this.#output(call, JSON.stringify({ output: said, metadata: { exit_code: 0, duration_seconds: 0 } }));
  }

  /**
   * @param {Call} call
   * @param {string} output
   * @param {readonly Buffer[]} [block]
   */
  #output(call, output, block) {
    const custom = call.kind === "patch";
    this.work(3);
    this.#record(
      "response_item",
      {
        type: custom ? "custom_tool_call_output" : "function_call_output",
        ...(this.#paginated && { id: `${custom ? "ctco" : "fco"}_${this.#rng.uuid7(this.now)}` }),
        call_id: call.id,
        output,
        ...(this.#paginated && {
          internal_chat_message_metadata_passthrough: { turn_id: this.#turn, create_time: this.now / 1000 },
        }),
      },
      block,
      this.#paginated ? { client_authored: false, fallback_token_limit_override: 12_000 } : undefined,
    );
  }

  /** @param {CodexUsage} usage */
  #usageRecord(usage) {
    this.#record("token_usage_record", {
      thread_id: this.id,
      turn_id: this.#turn,
      session_id: this.id,
      root_turn_id: this.#turn,
      response_id: `resp_${this.#rng.base62(24)}`,
      usage: wireWithWrites(usage),
      turn_token_usage: wireWithWrites(this.#turnTotal),
      thread_token_usage: wireWithWrites(this.#total),
    });
  }

  /**
   * @param {boolean} [empty]
   * @param {number} [estimate]
   */
  #tokenCount(empty = false, estimate) {
    const of = this.#paginated ? wireWithWrites : wire;
    const last = estimate === undefined ? of(this.#last) : { ...of(none()), total_tokens: estimate };
    const reset = Math.floor(this.now / 18_000_000 + 1) * 18_000;
    this.#event({
      type: "token_count",
      info:
        empty || !this.#counted
          ? null
          : {
              total_token_usage: of(this.#total),
              last_token_usage: last,
              ...(this.#paginated && { last_usage_includes_reasoning: false }),
              model_context_window: CONTEXT_WINDOW,
            },
      rate_limits: {
        limit_id: "codex",
        limit_name: null,
        primary: { used_percent: this.#rng.int(1, 60), window_minutes: 300, resets_at: reset },
        secondary: { used_percent: this.#rng.int(1, 40), window_minutes: 10_080, resets_at: reset + 400_000 },
        credits: null,
        ...(this.#paginated && { individual_limit: null, spend_control_reached: null }),
        plan_type: "pro",
        rate_limit_reached_type: null,
      },
    });
  }

  /**
   * @param {object} item
   * @param {number} [started]
   * @param {readonly Buffer[]} [block]
   */
  #item(item, started = this.now, block) {
    this.#event(
      {
        type: "item_completed",
        thread_id: this.id,
        turn_id: this.#turn,
        item,
        started_at_ms: started,
        completed_at_ms: this.now,
      },
      block,
    );
  }

  /**
   * @param {object} payload
   * @param {readonly Buffer[]} [block]
   */
  #event(payload, block) {
    this.#record("event_msg", payload, block);
  }

  /**
   * @param {string} type
   * @param {object} payload
   * @param {readonly Buffer[]} [block]
   * @param {object} [metadata]
   */
  #record(type, payload, block, metadata) {
    const timestamp = new Date(this.now).toISOString();
    if (!this.#paginated) return this.#sink.line({ timestamp, type, payload }, block);
    this.#sink.line({ timestamp, ordinal: this.#ordinal, type, payload, ...(metadata && { metadata }) }, block);
    this.#ordinal += 1;
  }
}
