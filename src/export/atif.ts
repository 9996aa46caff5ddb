import {
  type ExportFormat,
  type ExportOptions,
  jsonObject,
  promptTokens,
  sessionFile,
  unicodeJson,
  type Writer,
  writeWhole,
} from "./format.ts";
import { stepsOf, type Step, type StepCall } from "./steps.ts";
import type { Exported } from "../answers/daybook.ts";
import type { CountedResponse } from "../views/response.ts";
import { sessionKey } from "../record/session-key.ts";
import { addTo } from "../base/maps.ts";

/** The version of the format. */
const VERSION = "ATIF-v1.8";

/** Trajectories in Harbor's interchange format: one document per session, including the sessions it started. */
export const atif: ExportFormat = {
  needs: "records",
  printed: { most: "all", as: "json" },
  begin: (options) => {
    const { target } = options;
    let family = new Family([]);
    return {
      begin(sessions) {
        family = new Family(sessions);
        target.claim(family.roots.map(({ view }) => sessionFile(view, "json")));
      },
      async add(session) {
        // A sub-agent is written inside the document of its parent.
        if (family.isRoot(session))
          await writeWhole(target, sessionFile(session.view, "json"), async (file) => {
            await new Trajectory(file, family, options).write(session);
            file.write("\n");
          });
      },
    };
  },
};

/** The parent-child relations among the exported sessions. */
class Family {
  readonly roots: readonly Exported[];
  readonly #isRoot: ReadonlySet<Exported>;
  readonly #children = new Map<string, Exported[]>();

  constructor(sessions: readonly Exported[]) {
    const known = new Map(sessions.map((session) => [sessionKey(session.view), session]));
    const parentOf = ({ view }: Exported): Exported | undefined =>
      view.parent === null ? undefined : known.get(sessionKey(view.parent));
    const isBelow = (session: Exported): boolean => {
      const seen = new Set([session]);
      for (let at = parentOf(session); at; at = parentOf(at)) {
        // Sessions that name each other as parent count as roots.
        if (seen.has(at)) return false;
        seen.add(at);
      }
      return seen.size > 1;
    };
    this.roots = sessions.filter((session) => !isBelow(session));
    this.#isRoot = new Set(this.roots);
    for (const session of sessions) {
      const parent = this.#isRoot.has(session) ? undefined : parentOf(session);
      if (!parent) continue;
      addTo(this.#children, sessionKey(parent.view), session);
    }
  }

  isRoot(session: Exported): boolean {
    return this.#isRoot.has(session);
  }

  below(session: Exported): readonly Exported[] {
    return this.#children.get(sessionKey(session.view)) ?? [];
  }
}

/** The cost so far. */
interface Spent {
  pico: bigint;
  isPriced: boolean;
  unpriced: Set<string>;
}

/** One document, written step by step. */
class Trajectory {
  readonly #file: Writer;
  readonly #family: Family;
  readonly #hide: ExportOptions["hide"];
  /** Separator between steps: a line break in files. */
  readonly #joint: string;

  constructor(file: Writer, family: Family, { hide, isPrinted }: ExportOptions) {
    this.#file = file;
    this.#family = family;
    this.#hide = hide;
    this.#joint = isPrinted === true ? "" : "\n";
  }

  async write(session: Exported): Promise<Spent> {
    const { view } = session;
    const steps = stepsOf(await session.whole());
    // The format requires at least one step.
    const written = steps.length === 0 ? [{ source: "system", message: "No message is recorded." }] : steps.map(stepOf);
    const spent: Spent = { pico: 0n, isPriced: false, unpriced: new Set() };
    const tokens = { prompt: 0, completion: 0, cached: 0 };
    for (const { responses } of steps)
      for (const response of responses) {
        tokens.prompt += promptTokens(response);
        tokens.completion += response.output_tokens;
        tokens.cached += response.cached_input_tokens;
        add(spent, response);
      }
    this.#put("{", { schema_version: VERSION, ...headOf(session) });
    this.#file.write(`,"steps":[`);
    for (const [i, step] of written.entries())
      this.#put(`${i === 0 ? "" : ","}${this.#joint}`, { step_id: i + 1, ...step }, true);
    this.#file.write(`${this.#joint}]`);
    const below = this.#family.below(session);
    for (const [i, child] of below.entries()) {
      this.#file.write(i === 0 ? `,"subagent_trajectories":[` : ",");
      const inside = await this.write(child);
      spent.pico += inside.pico;
      spent.isPriced ||= inside.isPriced;
      for (const model of inside.unpriced) spent.unpriced.add(model);
    }
    if (below.length > 0) this.#file.write("]");
    this.#put(",", {
      final_metrics: {
        total_prompt_tokens: tokens.prompt,
        total_completion_tokens: tokens.completion,
        total_cached_tokens: tokens.cached,
        total_steps: written.length,
        ...(spent.isPriced ? { total_cost_usd: Number(spent.pico) / 1e12 } : {}),
        ...(spent.unpriced.size > 0 ? { extra: { unpriced_models: [...spent.unpriced].toSorted() } } : {}),
      },
      extra: { diagnostics: view.diagnostics, project: view.project, kind: view.kind, title: view.title },
    });
    this.#file.write("}");
    return spent;
  }

  /** Writes the fields of an object without its braces, or the whole object. */
  #put(before: string, value: object, isWhole = false): void {
    const json = unicodeJson(this.#hide(value));
    this.#file.write(before + (isWhole ? json : json.slice(1, -1)));
  }
}

function headOf({ view }: Exported): object {
  const { source, session_id, agent_version, models, cwd, started_at, ended_at } = view;
  const [model] = models;
  return {
    session_id,
    trajectory_id: sessionKey(view),
    agent: {
      name: source,
      version: agent_version ?? "unknown",
      ...(model === undefined ? {} : { model_name: model }),
      extra: { models, cwd, started_at, ended_at },
    },
  };
}

function stepOf(step: Step): object {
  const { by, time, text, reasoning, calls, responses, turn, line, event } = step;
  const common = {
    ...(time === null ? {} : { timestamp: time }),
    source: by,
    message: text,
    extra: { turn, line, ...(event === null ? {} : { event }) },
  };
  if (by !== "agent") return common;
  const model = responses.find((response) => response.model !== null)?.model ?? null;
  const results = calls.flatMap(resultOf);
  return {
    ...common,
    ...(model === null ? {} : { model_name: model }),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    ...(results.length === 0 ? {} : { observation: { results } }),
    ...(responses.length === 0 ? {} : { metrics: metricsOf(responses), llm_call_count: responses.length }),
  };
}

function callOf({ call_id, name, input, started, parent_call_id, end }: StepCall): object {
  return {
    tool_call_id: call_id,
    function_name: name,
    arguments: jsonObject(input),
    extra: {
      started_at: started,
      status: end?.status ?? "pending",
      ...(parent_call_id === null ? {} : { parent_call_id }),
    },
  };
}

function resultOf({ call_id, end, finished, children }: StepCall): object[] {
  if (!end && children.length === 0) return [];
  const refs = children.map((child) => ({ trajectory_id: sessionKey(child), session_id: child.session_id }));
  const {
    status,
    exit_code,
    duration_ms,
    error = null,
  } = end ?? { status: "pending", exit_code: null, duration_ms: null };
  return [
    {
      source_call_id: call_id,
      content: end?.output ?? error,
      ...(refs.length === 0 ? {} : { subagent_trajectory_ref: refs }),
      extra: { status, exit_code, duration_ms, finished_at: finished, ...(error === null ? {} : { error }) },
    },
  ];
}

function metricsOf(responses: readonly CountedResponse[]): object {
  const spent: Spent = { pico: 0n, isPriced: false, unpriced: new Set() };
  const sum = { prompt: 0, completion: 0, cached: 0, written: 0, reasoning: 0 };
  for (const response of responses) {
    add(spent, response);
    sum.prompt += promptTokens(response);
    sum.completion += response.output_tokens;
    sum.cached += response.cached_input_tokens;
    sum.written += response.cache_write_tokens;
    sum.reasoning += response.reasoning_tokens;
  }
  return {
    prompt_tokens: sum.prompt,
    completion_tokens: sum.completion,
    cached_tokens: sum.cached,
    ...(spent.isPriced ? { cost_usd: Number(spent.pico) / 1e12 } : {}),
    extra: {
      cache_write_tokens: sum.written,
      reasoning_tokens: sum.reasoning,
      ...(spent.isPriced ? { cost_picousd: Number(spent.pico) } : {}),
      ...(spent.unpriced.size > 0 ? { unpriced_models: [...spent.unpriced].toSorted() } : {}),
    },
  };
}

function add(spent: Spent, { pico, model }: CountedResponse): void {
  if (pico === null) spent.unpriced.add(model ?? "unknown");
  else {
    spent.pico += BigInt(pico);
    spent.isPriced = true;
  }
}
