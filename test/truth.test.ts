import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import { isOf, readTruth, rootOfCorpus, scenarioOf, sourceOfCorpus, type TruthSession } from "./truth.ts";
import { differences, WRONG } from "./truth/differences.ts";
import * as exceptions from "./truth/exceptions.ts";
import { callsByOrder, expected, planned } from "./truth/expected.ts";
import { answersOf, actualSession } from "./truth/actual.ts";

const truth = readTruth();

describe.each(Object.entries(truth.corpora))("corpus %s", (label, corpus) => {
  const daybook = new Daybook({
    roots: { [sourceOfCorpus(label)]: [rootOfCorpus(label)] },
    timezone: "UTC",
    env: {},
    home: "/nowhere",
  });
  const sessions = corpus.sessions.filter((session) => session.files.length > 0);

  it("matches TRUTH.json: prompts, owners, outcomes, calls, tokens, files, decisions, children", async () => {
    const actual = await answersOf(daybook);
    const found: Record<string, string[]> = {};
    for (const session of sessions) {
      const [wanted, got] = [expected(session, label), actualSession(actual, session)].map((one) =>
        exceptions.OWN_CALL_IDS.test(label) ? callsByOrder(one) : one,
      );
      const different = differences(wanted, got);
      if (different.length > 0) found[`${label} ${scenarioOf(session)}`] = different;
    }
    const knownWrong = Object.entries(WRONG).filter(([name]) => name.startsWith(`${label} `));
    expect(found).toEqual(Object.fromEntries(knownWrong.map(([name, one]) => [name, one.actual])));
  });

  it("has exactly the sessions that left a file", async () => {
    const views = await daybook.sessions();
    for (const session of sessions)
      expect(
        views.some((view) => isOf(session, view)),
        scenarioOf(session),
      ).toBe(true);
    expect(views.filter((view) => !sessions.some((session) => isOf(session, view)))).toEqual([]);
    const foundIds = new Set(views.map((view) => view.session_id));
    const withoutFile = corpus.sessions.filter((session) => session.files.length === 0);
    expect(withoutFile.filter((session) => session.session !== null && foundIds.has(session.session))).toEqual([]);
    const expectedWithoutFile = Object.keys(exceptions.NO_FILE).filter((one) => one.startsWith(`${label} `));
    expect(withoutFile.map((session) => `${label} ${scenarioOf(session)}`).toSorted()).toEqual(
      expectedWithoutFile.toSorted(),
    );
  });

  it("balances in the audit", async () => {
    const audit = await daybook.audit();
    expect(audit.sessions.filter((session) => !session.balanced)).toEqual([]);
    expect(audit.balanced).toBe(true);
  });
});

describe("the exceptions to TRUTH.json", () => {
  const corpora = Object.entries(truth.corpora);
  const sessions = corpora.flatMap(([, corpus]) => corpus.sessions);
  const responses = sessions.flatMap((session) => session.responses);
  const runs = corpora.flatMap(([label, corpus]) =>
    corpus.sessions.flatMap((session) => session.runs.map((run) => `${label} ${run.scenario}`)),
  );
  const names = corpora.flatMap(([label, corpus]) =>
    corpus.sessions.map((session) => `${label} ${scenarioOf(session)}`),
  );

  it("name only calls that did not end as planned", () => {
    for (const [id, { status }] of Object.entries(exceptions.REALLY)) {
      const session = sessions.find((one) => callsOf(one).some((call) => call.call_id === id));
      const call = session && callsOf(session).find((one) => one.call_id === id);
      if (!session || !call) expect.fail(`${id} was never asked for`);
      expect(planned(session, call.expected), id).not.toBe(status);
    }
  });

  it("name only prompts that were typed and responses that state usage", () => {
    for (const [id, { typed }] of Object.entries(exceptions.STORED_AS)) expect(promptsOf(id)).toContain(typed);
    for (const [id, typed] of Object.entries(exceptions.QUEUED)) expect(promptsOf(id)).toContain(typed);
    const { UNWRITTEN, IN_TOTAL, OWNED_BY } = exceptions;
    for (const id of [UNWRITTEN, IN_TOTAL, OWNED_BY].flatMap((list) => Object.keys(list))) {
      const response = responses.find((one) => one.resp_id === id);
      expect(response?.usage, id).toBeTruthy();
    }
  });

  it("name only runs, sessions and corpora that exist", () => {
    for (const run of Object.keys(exceptions.ENDED)) expect(runs).toContain(run);
    for (const name of [...Object.keys(exceptions.ONLY_SUMS), ...Object.keys(WRONG)]) expect(names).toContain(name);
    for (const label of [...exceptions.INLINE, ...Object.keys(exceptions.OPERATIONS)])
      expect(Object.keys(truth.corpora)).toContain(label);
  });

  function promptsOf(id: string): string[] {
    return sessions.find((session) => session.session === id)?.human_prompts.map((prompt) => prompt.text) ?? [];
  }
});

function callsOf(session: TruthSession): { call_id: string; expected: string }[] {
  return session.responses.flatMap(({ calls }) => calls);
}
