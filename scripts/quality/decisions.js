// Decisions: those an agent recorded (asked with a tool or in a fixed form) and those made in prose.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compare } from "./match.js";
import { counted, daybookOf, truthOf } from "./material.js";

const EXCHANGES = fileURLToPath(new URL("../../test/fixtures/decisions/PROSE.json", import.meta.url));

/**
 * A decision in prose belongs to the turn in which the human decided, a recorded one to the turn that asked. The truth may
 * name either, so a recorded one that was answered by a later prompt also belongs to that prompt's turn.
 */
export async function measureDecisions(dir) {
  const truth = truthOf(dir);
  const daybook = daybookOf(dir, truth.timezone);
  try {
    const [decisions, turns] = [await daybook.decisions(), await daybook.turns()];
    const starts = new Map(
      turns.map((turn) => [`${turn.session_id}:${turn.trigger.line}`, `${turn.session_id}/${turn.turn_ref}`]),
    );
    const listed = decisions.map((one) => ({
      tier: one.tier,
      text: `${one.title} ${one.choice ?? ""} ${one.free_text ?? ""}`,
      turns: [`${one.session_id}/${one.turn_ref}`, starts.get(`${one.session_id}:${one.answered_line}`)].filter(
        Boolean,
      ),
    }));
    const wanted = Object.values(truth.days).flatMap(({ decisions: made }) =>
      made.map(({ turn, decision }) => ({ turn, text: decision })),
    );
    const prose = listed.filter(({ tier }) => tier === "prose");
    const recorded = compare(
      listed.filter(({ tier }) => tier !== "prose"),
      wanted,
    );
    const inProse = compare(prose, wanted);
    const all = compare(listed, wanted);
    return [
      counted("decisions", all),
      counted("decisions: recorded", recorded),
      counted("decisions: in prose", { ...inProse, of: all.of - recorded.found }),
    ];
  } finally {
    daybook.close?.();
  }
}

/**
 * Labelled exchanges: a reply, the prompt after it, and whether that decides something. Each becomes a session that is
 * read like any other.
 */
export async function measureExchanges() {
  const dir = mkdtempSync(join(tmpdir(), "daybook-exchanges-"));
  const exchanges = JSON.parse(readFileSync(EXCHANGES, "utf8"));
  const folder = join(dir, "claude/projects/-home-dev-app");
  mkdirSync(folder, { recursive: true });
  const names = exchanges.map((_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`);
  for (const [i, exchange] of exchanges.entries())
    writeFileSync(join(folder, `${names[i]}.jsonl`), sessionOf(exchange, names[i]));
  const daybook = daybookOf(dir, "UTC");
  try {
    const decided = new Map((await daybook.decisions()).map((one) => [one.session_id, one]));
    const halves = [...new Set(exchanges.map(({ half }) => half))];
    return halves.map((half) => {
      const mine = exchanges.flatMap((exchange, i) =>
        exchange.half === half ? [{ ...exchange, name: names[i] }] : [],
      );
      const hits = mine.filter(({ name }) => decided.has(name));
      const right = hits.filter(({ decision }) => decision !== null).length;
      const of = mine.filter(({ decision }) => decision !== null).length;
      return { half, ...counted("decisions: in prose", { found: right, of, right, listed: hits.length }) };
    });
  } finally {
    daybook.close?.();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Two turns as Claude Code writes them. */
function sessionOf({ reply, prompt }, sessionId) {
  let parentUuid = null;
  let second = 0;
  const record = (type, message) => {
    // Records of the same name would be one record in two sessions.
    const uuid = `${String(++second).padStart(8, "0")}${sessionId.slice(8)}`;
    const timestamp = `2026-01-05T09:00:${String(second).padStart(2, "0")}.000Z`;
    const about = { isSidechain: false, userType: "external", cwd: "/home/dev/app", sessionId, version: "2.1.100" };
    const line = JSON.stringify({ parentUuid, ...about, type, message, uuid, timestamp });
    parentUuid = uuid;
    return line;
  };
  const user = (content) => record("user", { role: "user", content });
  const assistant = (text) =>
    record("assistant", {
      id: `msg_${sessionId}_${second}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  return `${[user("look at it"), assistant(reply), user(prompt), assistant("All right.")].join("\n")}\n`;
}
