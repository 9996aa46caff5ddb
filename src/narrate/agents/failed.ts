import { DaybookError } from "../../errors.ts";

/** An agent that did not answer. Whoever asked may ask again. */
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
