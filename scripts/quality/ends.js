// Loose ends of each day: what the report lists by evidence, what an agent only said is open, and what was carried over
// from earlier days.
import { compare } from "./match.js";
import { counted, daybookOf, truthOf } from "./material.js";

const NONE = { found: 0, of: 0, right: 0, listed: 0 };

export async function measureEnds(dir) {
  const truth = truthOf(dir);
  const daybook = daybookOf(dir, truth.timezone);
  const dayOf = new Map(
    truth.sessions.flatMap(({ session, turns }) => turns.map((turn) => [`${session}/${turn.turn}`, turn.day])),
  );
  const sums = { evidence: { ...NONE }, both: { ...NONE }, carried: { ...NONE } };
  try {
    for (const [day, { loose_ends: open }] of Object.entries(truth.days)) {
      const report = await daybook.report({ date: day });
      const shown = [...(report.loose_ends ?? []), ...(report.carried_over ?? [])].map(asListed);
      const said = (report.said_open ?? []).map(asListed);
      const wanted = open.map(({ turn, why }) => ({ turn, text: why }));
      const isOwn = ({ turn }) => dayOf.get(turn) === day;
      const own = wanted.filter(isOwn);
      const carried = wanted.filter((one) => !isOwn(one));
      const [evidence, both] = [compare(shown, wanted), compare([...shown, ...said], wanted)];
      add(sums.evidence, { ...evidence, ...foundOf(shown, own) });
      add(sums.both, { ...both, ...foundOf([...shown, ...said], own) });
      const old = (report.carried_over ?? []).map(asListed);
      add(sums.carried, { ...compare(old, wanted), ...foundOf([...shown, ...said], carried) });
    }
  } finally {
    daybook.close?.();
  }
  return [
    counted("loose ends of the day, by evidence", sums.evidence),
    counted("loose ends of the day, evidence and said", sums.both),
    counted("loose ends carried over", sums.carried),
  ];
}

function asListed({ session_id, turn_ref, text }) {
  return { turns: [`${session_id}/${turn_ref}`], text: text ?? "" };
}

function foundOf(listed, truth) {
  const { found, of } = compare(listed, truth);
  return { found, of };
}

function add(sum, more) {
  for (const key of Object.keys(sum)) sum[key] += more[key];
}
