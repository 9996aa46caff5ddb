import { DaybookError } from "../../base/errors.ts";

/** Thrown when an agent did not answer. The caller may ask again. */
export class AgentFailed extends DaybookError {
  constructor(name: string, why: string, hint?: string) {
    super(`${name} did not answer: ${why}`, {
      code: "unreadable",
      op: "ask agent",
      ...(hint === undefined ? {} : { hint }),
    });
    this.name = "AgentFailed";
  }
}
