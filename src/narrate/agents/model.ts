/** The agent that writes: one of the user's agents by name, any command, or an endpoint; exactly one of them. */
export interface AgentSettings {
  /** The id of a source. */
  agent?: string | undefined;
  /** Gets the prompt on standard input; what it prints is the answer. */
  command?: readonly string[] | undefined;
  endpoint?: EndpointSettings | undefined;
  /** The model to use; the agent's own choice when absent. */
  model?: string | undefined;
}

export interface EndpointSettings {
  url: string;
  /** The API it speaks; derived from the URL when absent: `/messages` or `/chat/completions`. */
  api?: "openai" | "anthropic" | undefined;
  /** The environment variable that holds the key; no key is sent when absent. */
  key_env?: string | undefined;
}

/** A tool server that the agent may call while it answers. */
export interface ToolServer {
  name: string;
  command: readonly string[];
  tools: readonly string[];
}

export interface AgentRequest {
  prompt: string;
  /** Its working directory. */
  cwd: string;
  server?: ToolServer | null;
  signal?: AbortSignal | undefined;
}

export interface AgentReply {
  text: string;
  /** As stated by the agent; null when it states none. */
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** Answers one prompt at a time, without memory of earlier ones. */
export interface Agent {
  /** Shown to people, and part of the id of a request: a different agent is asked again. */
  readonly name: string;
  readonly model: string | null;
  /** It can call the tools of a server. */
  readonly callsTools: boolean;
  /** Maximum number of parallel requests; unlimited when absent. */
  readonly atOnce?: number | undefined;
  ask(request: AgentRequest): Promise<AgentReply>;
}
