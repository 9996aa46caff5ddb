import { describe, expect, it } from "vitest";
import { Daybook } from "../src/service.ts";
import {
  CLIENT_ONLY,
  isOf,
  isTitle,
  NO_FILE,
  readTruth,
  REALLY,
  rootOfCorpus,
  scenarioOf,
  servedIn,
  sourceOfCorpus,
  STORED_AS,
  sumOf,
  type TruthSession,
  UNTYPED,
  UNWRITTEN,
} from "./truth.ts";

const truth = readTruth();

describe.each(Object.entries(truth.corpora))("%s", (label, corpus) => {
  const daybook = new Daybook({
    roots: { [sourceOfCorpus(label)]: [rootOfCorpus(label)] },
    timezone: "UTC",
    env: {},
    home: "/nowhere",
  });
  const sessions = corpus.sessions.filter((session) => session.files.length > 0);

  it.each(sessions.map((session) => [scenarioOf(session), session] as const))("%s: prompts", async (_, session) => {
    const triggers = (await daybook.turns()).filter((turn) => isOf(session, turn)).map((turn) => turn.trigger);
    expect(triggers.map((trigger) => trigger.text)).toEqual(askedIn(session));
    for (const { kind, text } of triggers) {
      if (kind === "command") expect(text).toMatch(/^\//);
      if (kind === "shell") expect(text).toMatch(/^!/);
    }
  });

  it("holds every session that left a file, and no other", async () => {
    const views = await daybook.sessions();
    for (const session of sessions)
      expect(
        views.some((view) => isOf(session, view)),
        scenarioOf(session),
      ).toBe(true);
    expect(views.filter((view) => !sessions.some((session) => isOf(session, view)))).toEqual([]);
    const left = new Set(views.map((view) => view.session_id));
    const gone = corpus.sessions.filter((session) => session.files.length === 0);
    expect(gone.filter((session) => session.session !== null && left.has(session.session))).toEqual([]);
    const named = Object.keys(NO_FILE).filter((name) => name.startsWith(`${label} `));
    expect(gone.map((session) => `${label} ${scenarioOf(session)}`).toSorted()).toEqual(named.toSorted());
  });

  it("settles every scripted call as it really ended", async () => {
    const tools = await daybook.tools();
    const wrong: string[] = [];
    for (const session of sessions) {
      // Gemini CLI puts the tool's name before the id: `run_shell_command__call_…`.
      const own = new Map(
        tools
          .filter((tool) => isOf(session, tool))
          .map((tool) => [tool.call_id.replace(/^\w+__(?=call_)/u, ""), tool.status]),
      );
      for (const call of session.responses.filter((response) => !isTitle(response)).flatMap(({ calls }) => calls)) {
        const status = own.get(call.call_id) ?? "absent";
        const right = expectedStatus(session, call);
        if (status !== right) wrong.push(`${scenarioOf(session)} ${call.call_id}: ${status}, not ${right}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(sessions.map((session) => [scenarioOf(session), session] as const))("%s: tokens", async (_, session) => {
    const views = (await daybook.sessions()).filter((view) =>
      view.session_paths.some((path) => isOf(session, { ...view, session_path: path })),
    );
    const written = session.responses.filter(
      (response) => response.usage && !isTitle(response) && UNWRITTEN[response.resp_id ?? ""] === undefined,
    );
    expect(sumOf(views.map((view) => view.usage))).toEqual(sumOf(written.map((response) => servedIn(response, label))));
    // Nothing stated is nothing known: no model is named for it.
    if (written.length === 0) expect(views.flatMap((view) => view.usage.models)).toEqual([]);
  });

  it("balances", async () => {
    const audit = await daybook.audit();
    expect(audit.sessions.filter((session) => !session.balanced)).toEqual([]);
    expect(audit.balanced).toBe(true);
  });
});

/** What a human asked for, in order, in the words the agent kept. */
function askedIn(session: TruthSession): string[] {
  const { actions, human_prompts: prompts } = session;
  const untyped = session.runs.map((run) => UNTYPED[run.scenario]).filter((text) => text !== undefined);
  const typed = (actions?.filter(({ kind }) => kind !== "key") ?? prompts).map(({ text }) => text).concat(untyped);
  const rewritten = STORED_AS[session.session ?? ""];
  return typed
    .filter((text) => !CLIENT_ONLY.has(text.split(" ")[0] ?? ""))
    .map((text) => (text === rewritten?.typed ? rewritten.stored : text));
}

function expectedStatus(session: TruthSession, call: { call_id: string; expected: string }): string {
  const really = REALLY[call.call_id];
  if (really) return really.status;
  if (session.call_ids_not_found_in_files?.includes(call.call_id)) return "absent";
  return planned(session, call.expected);
}

function planned(session: TruthSession, expected: string): string {
  if (expected.startsWith("ok")) return "ok";
  if (expected.startsWith("failed")) return "failed";
  // A long-running call was interrupted; where the agent was killed nothing says so and it stays pending.
  return session.runs.some((run) => /kill/iu.test(run.scenario)) ? "pending" : "interrupted";
}

describe("the exceptions", () => {
  const sessions = Object.values(truth.corpora).flatMap((corpus) => corpus.sessions);
  const responses = sessions.flatMap((session) => session.responses);

  it("are about calls that did not end as planned", () => {
    for (const [id, { status }] of Object.entries(REALLY)) {
      const session = sessions.find((one) => one.responses.some(({ calls }) => calls.some((c) => c.call_id === id)));
      const call = session?.responses.flatMap(({ calls }) => calls).find((one) => one.call_id === id);
      if (!session || !call) expect.fail(`${id} was never asked for`);
      expect(planned(session, call.expected), id).not.toBe(status);
    }
  });

  it("are about prompts that were typed and usage that was served", () => {
    for (const [id, { typed }] of Object.entries(STORED_AS)) {
      const prompts = sessions.find((session) => session.session === id)?.human_prompts ?? [];
      expect(prompts.map((prompt) => prompt.text)).toContain(typed);
    }
    for (const id of Object.keys(UNWRITTEN)) {
      const response = responses.find((one) => one.resp_id === id);
      expect(response?.usage, id).toBeTruthy();
    }
  });
});
