/**
 * The true content of a generated corpus, counted while it is written and never read back from it: every reader
 * is checked against it. Token names and meanings are those of `daybook usage --json`.
 *
 * @typedef {{ input: number, cached: number, cacheWrite: number, output: number, reasoning: number }} Spent
 *   tokens of one response; `input` is fresh input only, `output` includes reasoning
 * @typedef {"ok" | "failed" | "interrupted" | "denied" | "pending"} Status
 */

const noTokens = () => ({
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
});

/**
 * @param {ReturnType<typeof noTokens>} sum
 * @param {Spent} spent
 */
function add(sum, spent) {
  sum.input_tokens += spent.input;
  sum.cached_input_tokens += spent.cached;
  sum.cache_write_tokens += spent.cacheWrite;
  sum.output_tokens += spent.output;
  sum.reasoning_tokens += spent.reasoning;
}

export class SourceTruth {
  bytes = 0;
  files = 0;
  lines = 0;
  sessions = { root: 0, subagent: 0 };
  human_prompts = 0;
  /** How many of the prompts were typed while the agent was busy. */
  queued_prompts = 0;
  turns = { completed: 0, aborted: 0, open: 0 };
  compactions = 0;
  responses = 0;
  tokens = noTokens();
  tool_calls = { total: 0, ok: 0, failed: 0, interrupted: 0, denied: 0, pending: 0 };
  /** Tokens recorded only in `token_usage_record`: the process died before it wrote `token_count`. */
  not_in_token_count = noTokens();
  /** @type {Record<string, ReturnType<typeof noTokens>>} */
  by_day = {};
  /** @type {Record<string, ReturnType<typeof noTokens>>} */
  by_model = {};

  /** @param {boolean} queued */
  prompt(queued) {
    this.human_prompts += 1;
    if (queued) this.queued_prompts += 1;
  }

  /**
   * @param {number} ms
   * @param {string} model
   * @param {Spent} spent
   */
  response(ms, model, spent) {
    this.responses += 1;
    add(this.tokens, spent);
    add((this.by_day[new Date(ms).toISOString().slice(0, 10)] ??= noTokens()), spent);
    add((this.by_model[model] ??= noTokens()), spent);
  }

  /** @param {Spent} spent */
  uncounted(spent) {
    add(this.not_in_token_count, spent);
  }

  /** @param {Status} status */
  tool(status) {
    this.tool_calls.total += 1;
    this.tool_calls[status] += 1;
  }

  /**
   * @param {import("./sink.js").FileSink} sink
   * @param {"root" | "subagent"} kind
   */
  closed(sink, kind) {
    this.files += 1;
    this.bytes += sink.bytes;
    this.lines += sink.lines;
    this.sessions[kind] += 1;
  }

  toJSON() {
    const days = Object.entries(this.by_day).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.assign({}, this, { by_day: Object.fromEntries(days) });
  }
}
