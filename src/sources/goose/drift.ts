import type { Drift } from "../contract.ts";
import type { GooseMessage } from "./message.ts";
import { str, type Native } from "./native.ts";

const CONTENT: Readonly<Record<string, string>> = {
  text: "type text annotations _meta",
  image: "type data mimeType annotations _meta",
  toolRequest: "type id toolCall metadata _meta thoughtSignature toolMeta",
  toolResponse: "type id toolResult metadata _meta",
  frontendToolRequest: "type id toolCall",
  toolConfirmationRequest: "type id toolName arguments prompt",
  actionRequired: "type data",
  thinking: "type thinking signature",
  redactedThinking: "type data",
  reasoning: "type text",
  systemNotification: "type notificationType msg data",
  conversationCompacted: "type msg",
  contextLengthExceeded: "type msg",
  summarizationRequested: "type msg",
};

const METADATA = new Set(["userVisible", "agentVisible", "turnContext", "inference", "usage"]);

const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(CONTENT).map(([type, names]) => [type, new Set(names.split(" "))]),
);

/** Counts what this pass met of versions, and of types and fields that nobody has checked yet. */
export class DriftGuard {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  readonly #version: string;
  readonly #checkFields: boolean;

  /** Goose writes no version of its own into a session; the version of the schema is what there is. */
  constructor(version: string, checkFields: boolean) {
    this.#version = version;
    this.#checkFields = checkFields;
  }

  row(): void {
    bump(this.#drift.versions, this.#version);
  }

  unknownType(native: string): void {
    bump(this.#drift.unknownTypes, `${this.#version} · ${native}`);
  }

  message(message: GooseMessage): void {
    if (!this.#checkFields) return;
    for (const node of message.content ?? []) this.#fields(`content/${typeOf(node)}`, node, KNOWN.get(typeOf(node)));
    if (message.metadata) this.#fields("metadata", message.metadata, METADATA);
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }

  #fields(native: string, data: Native, known: ReadonlySet<string> | undefined): void {
    if (!known) return;
    for (const name in data)
      if (!known.has(name)) bump(this.#drift.unknownFields, `${this.#version} · ${native} · ${name}`);
  }
}

export function typeOf(node: Native): string {
  return str(node["type"]) ?? "(untyped)";
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
