import { describe, expect, it } from "vitest";
import { Daybook } from "../src/service.ts";
import { CORPUS, readTruth, sourceOfCorpus, type TruthSession } from "./truth.ts";

/** Calls that really ended otherwise than the script planned; each seen in the raw file. */
const REALLY: Record<string, { status: string; why: string }> = {
  call_LsleepS0xX49WAl5f0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xC9pkqifh0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xB56B0CLM0: {
    status: "failed",
    why: "hostsig-sleep: the signal killed the script host, the call failed",
  },
  call_LplanS0xOBXxxabg0: { status: "failed", why: "the script died: tools.update_plan is not a function" },
  toolu_01LlsS0xxYp3xsDA0: { status: "denied", why: "scenario denied: a permission rule forbade it" },
  toolu_01LsleepS0x4brGPaZ90: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LsleepS0xUxRbgf5s0: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LfailS0xPZeooZ1v0: { status: "denied", why: "the human refused it at the permission prompt" },
};

/** Streams that were cut before the agent learned their usage: a killed one, and one dropped when the human steered. */
function cut(session: TruthSession, response: TruthSession["responses"][number]): boolean {
  const killed = session.runs.some((run) => run.scenario.includes("KILL"));
  return (killed && response.script === "hang") || response.resp_id === "resp_IyHoKO7Bp8NIBoqxQTBmdReU";
}

/** Statuses a scripted call may rightly have, from what it really did. */
function allowed(expected: string): string[] {
  if (expected.startsWith("ok")) return ["ok"];
  if (expected.startsWith("failed")) return ["failed"];
  // A long-running call was interrupted; where the agent was killed nothing says so and it stays pending.
  return ["interrupted", "pending"];
}

const truth = readTruth();

describe.each(Object.keys(truth.corpora))("%s", (label) => {
  const daybook = new Daybook({
    roots: { [sourceOfCorpus(label)]: [`${CORPUS}${label}`] },
    timezone: "UTC",
    env: {},
    home: "/nowhere",
  });
  const sessions = truth.corpora[label]?.sessions.filter((session) => session.files.length > 0) ?? [];
  const inSession = (session: TruthSession, path: string): boolean => session.files.some((file) => path.endsWith(file));

  it.each(sessions.map((session) => [session.runs.map((run) => run.scenario).join("+"), session] as const))(
    "%s: prompts",
    async (_, session) => {
      const turns = (await daybook.turns()).filter((turn) => inSession(session, turn.session_path));
      const typed = turns.filter((turn) => turn.trigger.kind !== "command" && turn.trigger.kind !== "shell");
      const commands = turns.filter((turn) => turn.trigger.kind === "command" || turn.trigger.kind === "shell");
      const lost = new Set(session.prompts_not_found_in_files);
      const prompts = session.human_prompts.map((prompt) => prompt.text).filter((text) => !lost.has(text));
      expect(typed.map((turn) => turn.trigger.text)).toEqual(prompts.filter((text) => !text.startsWith("/")));
      // Slash and shell actions: those a model or a shell answered are turns, nothing else is.
      const actions = [
        ...prompts.filter((text) => text.startsWith("/")),
        ...(session.actions ?? []).filter((a) => a.kind !== "prompt").map((a) => a.text),
      ];
      for (const command of commands) {
        if (command.trigger.text.startsWith("/review")) continue;
        expect(actions).toContain(command.trigger.text);
      }
    },
  );

  it("settles every scripted call as it really ended", async () => {
    const tools = new Map((await daybook.tools()).map((tool) => [tool.call_id, tool]));
    const wrong: string[] = [];
    for (const session of sessions) {
      const lost = new Set(session.call_ids_not_found_in_files);
      const recorded = session.responses.filter((response) => response.housekeeping !== "thread_title");
      for (const call of recorded.flatMap((response) => response.calls)) {
        if (lost.has(call.call_id)) continue;
        const status = tools.get(call.call_id)?.status ?? "absent";
        const right = REALLY[call.call_id]?.status;
        if (right === undefined ? !allowed(call.expected).includes(status) : status !== right)
          wrong.push(`${call.call_id}: ${status}, expected ${call.expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("counts the output tokens that were served", async () => {
    const wrong: string[] = [];
    const views = await daybook.sessions();
    for (const session of sessions) {
      const counted = views
        .filter((view) => view.session_paths.some((path) => inSession(session, path)))
        .reduce((sum, view) => sum + view.usage.output_tokens, 0);
      // Hidden thread-title requests leave no file, and Claude Code writes no usage for its compaction request.
      const recorded = session.responses.filter(
        (response) =>
          !cut(session, response) &&
          response.housekeeping !== "thread_title" &&
          !(response.housekeeping && label.startsWith("claude")),
      );
      const served = recorded.reduce((sum, { usage }) => sum + (usage?.output ?? usage?.output_tokens ?? 0), 0);
      if (counted !== served)
        wrong.push(
          `${session.runs.map((r) => r.scenario).join("+")} ${session.session}: counted ${counted}, served ${served}`,
        );
    }
    expect(wrong).toEqual([]);
  });

  it("balances", async () => {
    const audit = await daybook.audit();
    expect(audit.sessions.filter((session) => !session.balanced)).toEqual([]);
    expect(audit.balanced).toBe(true);
  });
});
