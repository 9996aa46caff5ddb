// A model that writes narratives and lies in them on purpose: it cites lines that are not there, invents quotes, claims what no call
// shows, skips turns, and obeys what session texts tell it. Beside its lies it says what is true, as examples/narrator.mjs does. For
// scripts/narrate-agents.js.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { lied } from "./lies.js";
import { modelServer } from "./model-server.js";

const NARRATOR = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
const SERVER = "daybook_narrate";

/** `calls`: names of tools, in the order they were called. */
export async function lyingModel() {
  const calls = [];
  const { url, close } = await modelServer(SERVER, ({ texts, results, isAside }) => {
    const prompt = promptIn(texts);
    // What is asked aside holds the prompt as well; whoever answers in JSON is given no tools at all.
    if (prompt === null || (isAside && prompt.includes(SERVER))) return { say: "Done." };
    const next = nextOf(prompt, results);
    if (next.tool) calls.push(next.tool);
    return next;
  });
  return { url, calls, close };
}

/** The words of Daybook among those that an agent sends along. */
function promptIn(texts) {
  return (
    texts
      .map((text) => /You (?:write down what one|put the evidence|write the few)[^]*/.exec(text)?.[0])
      .find(Boolean) ?? null
  );
}

/** The next thing it does: one call of a tool after the other, or the whole answer. */
function nextOf(prompt, results) {
  if (!prompt.includes(SERVER)) return { say: JSON.stringify(lied(narrated(prompt))) };
  const reads = prompt.startsWith("You write down") ? turnsIn(prompt) : [];
  if (results.length < reads.length) {
    const { first, last, project, session } = reads[results.length];
    return {
      tool: "read_session_lines",
      given: { project_key: project, session_ref: session, start_line: first, end_line: last },
    };
  }
  const seen = reads.map(({ ref, first, last }, i) => ({ ref, first, last, records: recordsIn(results[i]) }));
  const answer = narrated(reads.length > 0 ? withTranscript(prompt, seen) : prompt);
  const tool = reads.length > 0 ? "write_evidence" : prompt.startsWith("You put") ? "write_work_item" : "write_day";
  // What it skipped it skips again.
  const writes = prompt.includes("has no evidence chain") ? [] : writesOf(answer);
  const at = results.length - reads.length;
  return at < writes.length ? { tool, given: { value: writes[at] } } : { say: "done" };
}

/** First the lies, each statement then without them, and one turn never. */
function writesOf(answer) {
  const wrong = listOf(lied(structuredClone(answer)));
  const right = listOf(answer);
  const told = answer.evidence_chains && right.length > 1 ? right.slice(0, -1) : right;
  return told.flatMap((value, i) => (wrong[i] ? [wrong[i], value] : [value]));
}

function listOf(value) {
  return value.evidence_chains ?? value.work_items ?? [value];
}

function narrated(prompt) {
  return JSON.parse(execFileSync(process.execPath, [NARRATOR], { input: prompt, encoding: "utf8" }));
}

function turnsIn(prompt) {
  const [, project, session] = /^Project (\S+), session (S\d+)/m.exec(prompt) ?? [];
  return [...prompt.matchAll(/^- (T\d+): lines (\d+)-(\d+)/gm)].map(([, ref, first, last]) => ({
    ...{ ref, first: Number(first), last: Number(last), project, session },
  }));
}

function recordsIn(text = "") {
  try {
    return JSON.parse(/\{"records"[^]*\}/.exec(text)?.[0] ?? "{}").records ?? [];
  } catch {
    return [];
  }
}

function withTranscript(prompt, seen) {
  const text = seen
    .map(({ ref, first, last, records }) =>
      [`== turn ${ref}, lines ${first}-${last}`, ...records.map((one) => JSON.stringify(one))].join("\n"),
    )
    .join("\n\n");
  return `${prompt}\n~~~~~ quoted history\n${text}\n~~~~~ end of quoted history`;
}
