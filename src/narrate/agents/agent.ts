import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { DaybookError } from "../../base/errors.ts";
import { headlessAgents, headlessOf } from "../../book/reading/source-ids.ts";
import { plain } from "../../base/text/inert.ts";
import { endpointAgent } from "./endpoint.ts";
import { AgentFailed } from "./failed.ts";
import type { Agent, AgentReply, AgentSettings } from "./model.ts";
import { runProgram } from "./run-program.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The agent that settings name; null when they name none. */
export function agentOf(settings: AgentSettings, env: Env): Agent | null {
  const { agent, command, endpoint, model } = settings;
  const named = [agent, command, endpoint].filter((one) => one !== undefined);
  if (named.length === 0) return null;
  if (named.length > 1) throw wrong("one of agent, command and endpoint, not several");
  if (agent !== undefined) return sourceAgent(agent, model ?? null, env);
  if (command !== undefined) return commandAgent(command, model ?? null, env);
  if (endpoint === undefined) return null;
  if (model === undefined) throw wrong("an endpoint needs a model");
  return endpointAgent(endpoint, model, env);
}

function sourceAgent(id: string, model: string | null, env: Env): Agent {
  const headless = headlessOf(id);
  if (headless === null)
    throw wrong(
      `nobody knows how to ask an agent called ${id}`,
      `those that can be asked: ${headlessAgents().join(", ")}`,
    );
  return {
    name: id,
    model,
    callsTools: true,
    atOnce: headless.atOnce,
    async ask({ prompt, cwd, server = null, signal }): Promise<AgentReply> {
      const { words, env: more } = headless.run({ model, server });
      const done = await runProgram({ words, cwd, input: prompt, env: { ...env, ...more }, signal });
      const { text, error, tokens, cost_usd } = headless.answer(done.out);
      if (text === null) throw new AgentFailed(id, error ?? reasonIn(done.err));
      return { text, tokens, cost_usd };
    },
  };
}

/** Any program: it gets the prompt on standard input and prints the answer. */
function commandAgent(command: readonly string[], model: string | null, env: Env): Agent {
  const [program] = command;
  if (program === undefined || program === "") throw wrong("the command is empty");
  const name = basename(program);
  return {
    name,
    model,
    callsTools: false,
    async ask({ prompt, cwd, signal }): Promise<AgentReply> {
      const { code, out, err } = await runProgram({ words: command, cwd, input: prompt, env, signal });
      if (code !== 0) throw new AgentFailed(name, `it ended with ${code ?? "a signal"}: ${reasonIn(err)}`);
      return { text: out, tokens: null, cost_usd: null };
    },
  };
}

/** The last line that mentions an error, or else the last line. */
function reasonIn(printed: string): string {
  const lines = plain(stripVTControlCharacters(printed))
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.findLast((one) => /error|fail|cannot|denied|locked|not found/i.test(one)) ?? lines.at(-1) ?? "";
  return line.trim().slice(0, 300) || "it said nothing";
}

function wrong(message: string, hint = "[narrate] in config.toml: agent, command or endpoint"): DaybookError {
  return new DaybookError(message, { code: "usage", op: "choose agent", hint });
}
