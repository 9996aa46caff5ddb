import { z } from "zod";

/**
 * ATIF 1.8, restated from the validator of its makers: PyPI `harbor` 0.25.0, `harbor/models/trajectories/*.py` and
 * `harbor/utils/trajectory_validator.py`. Documents of all corpora pass that validator too; it needs Python and is not part of the suite.
 */
const extra = z.record(z.string(), z.unknown()).optional();
const text = z.string();
const content = z.union([text, z.array(z.strictObject({ type: z.literal("text"), text }))]);
const whole = z.number().int();

const call = z.strictObject({
  tool_call_id: text,
  function_name: text,
  arguments: z.record(z.string(), z.unknown()),
  extra,
});
const ref = z
  .strictObject({
    trajectory_id: text.optional(),
    trajectory_path: text.optional(),
    session_id: text.optional(),
    extra,
  })
  .refine((one) => one.trajectory_id !== undefined || one.trajectory_path !== undefined);
const result = z.strictObject({
  source_call_id: text.optional(),
  content: content.nullable().optional(),
  subagent_trajectory_ref: z.array(ref).optional(),
  extra,
});
const metrics = z.strictObject({
  prompt_tokens: whole.optional(),
  completion_tokens: whole.optional(),
  cached_tokens: whole.optional(),
  cost_usd: z.number().optional(),
  extra,
});

const ONLY_AGENT = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const;

const step = z
  .strictObject({
    step_id: whole.min(1),
    source: z.enum(["system", "user", "agent"]),
    message: content,
    timestamp: z.iso.datetime().optional(),
    model_name: text.optional(),
    reasoning_content: text.optional(),
    reasoning_effort: z.union([text, z.number()]).optional(),
    tool_calls: z.array(call).optional(),
    observation: z.strictObject({ results: z.array(result) }).optional(),
    metrics: metrics.optional(),
    is_copied_context: z.boolean().optional(),
    llm_call_count: whole.min(0).optional(),
    extra,
  })
  .refine((one) => one.source === "agent" || ONLY_AGENT.every((name) => one[name] === undefined), "only of agents")
  .refine((one) => {
    const known = new Set(one.tool_calls?.map(({ tool_call_id }) => tool_call_id));
    const named = one.observation?.results.map(({ source_call_id }) => source_call_id) ?? [];
    return named.every((id) => id === undefined || known.has(id));
  }, "a result of another step's call")
  .refine((one) => one.llm_call_count !== 0 || (one.metrics === undefined && one.reasoning_content === undefined));

const finalMetrics = z.strictObject({
  total_prompt_tokens: whole.optional(),
  total_completion_tokens: whole.optional(),
  extra,
  total_cached_tokens: whole.optional(),
  total_cost_usd: z.number().optional(),
  total_steps: whole.optional(),
});

interface Metrics {
  prompt_tokens?: number | undefined;
  completion_tokens?: number | undefined;
  cached_tokens?: number | undefined;
  extra?: Record<string, unknown> | undefined;
}

interface Result {
  subagent_trajectory_ref?: { trajectory_id?: string | undefined }[] | undefined;
}

/** The fields of a document that tests read. */
export interface Trajectory {
  trajectory_id?: string | undefined;
  steps: {
    tool_calls?: unknown[] | undefined;
    observation?: { results: Result[] } | undefined;
    metrics?: Metrics | undefined;
  }[];
  final_metrics?: { total_cost_usd?: number | undefined } | undefined;
  subagent_trajectories?: Trajectory[] | undefined;
}

export const trajectory: z.ZodType<Trajectory> = z
  .strictObject({
    schema_version: z.literal("ATIF-v1.8"),
    session_id: text.optional(),
    trajectory_id: text.optional(),
    agent: z.strictObject({ name: text, version: text, model_name: text.optional(), extra }),
    steps: z.array(step).min(1),
    notes: text.optional(),
    final_metrics: finalMetrics.optional(),
    extra,
    subagent_trajectories: z.array(z.lazy(() => trajectory)).optional(),
  })
  .refine(({ steps }) => steps.every(({ step_id }, i) => step_id === i + 1), "steps are numbered from 1")
  .refine(({ subagent_trajectories: below = [] }) => {
    const ids = below.map(({ trajectory_id }) => trajectory_id);
    return !ids.includes(undefined) && new Set(ids).size === ids.length;
  }, "those inside have names of their own");
