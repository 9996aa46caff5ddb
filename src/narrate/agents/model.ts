/** Who writes: an agent of the user's by its name, any command, or an endpoint; exactly one of them. */
export interface AgentSettings {
  /** The id of a source. */
  agent?: string | undefined;
  /** Given the prompt on its standard input; what it prints is the answer. */
  command?: readonly string[] | undefined;
  endpoint?: EndpointSettings | undefined;
  /** The model it is to use; its own choice when absent. */
  model?: string | undefined;
}

export interface EndpointSettings {
  url: string;
  /** The interface it speaks; known from the address when absent: `/messages` or `/chat/completions`. */
  api?: "openai" | "anthropic" | undefined;
  /** The variable that holds the key; none is sent when absent. */
  key_env?: string | undefined;
}

/** A server of tools the agent may call while it answers. */
export interface ToolServer {
  name: string;
  command: readonly string[];
  tools: readonly string[];
}

export interface AgentRequest {
  prompt: string;
  /** Where it works. */
  cwd: string;
  server?: ToolServer | null;
  signal?: AbortSignal | undefined;
}

export interface AgentReply {
  text: string;
  /** As stated by who answered; null where nobody does. */
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** What answers one prompt, and forgets it. */
export interface Agent {
  /** For people, and part of what names a request: another agent is asked again. */
  readonly name: string;
  readonly model: string | null;
  /** It can call the tools of a server. */
  readonly callsTools: boolean;
  /** How many requests it can take at once; as many as one likes when absent. */
  readonly atOnce?: number | undefined;
  ask(request: AgentRequest): Promise<AgentReply>;
}
