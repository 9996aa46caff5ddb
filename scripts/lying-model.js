// A model that writes narratives with deliberate lies: it cites lines that do not exist, invents quotes, makes claims
// that no call supports, skips turns, and obeys instructions in session texts. Its other statements are true, as those
// of examples/narrator.mjs. Used by scripts/narrate-agents.js.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { addLies } from "./lies.js";
import { modelServer } from "./model-server.js";

const NARRATOR = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
const SERVER = "daybook_narrate";

/** `calls` are the names of the tools in the order they were called. */
export async function lyingModel() {
  const calls = [];
  const { url, close } = await modelServer(SERVER, ({ texts, results, isAside }) => {
    const prompt = promptIn(texts);
    // A side request (for a title) also contains the prompt. An agent that answers in JSON gets no tools, so it looks
    // the same.
    if (prompt === null || (isAside && prompt.includes(SERVER))) return { say: "Done." };
    const next = nextOf(prompt, results);
    if (next.tool) calls.push(next.tool);
    return next;
  });
  return { url, calls, close };
}

/** Daybook's prompt among the texts that an agent sends. */
function promptIn(texts) {
  return (
    texts
      .map((text) => /You (?:write down what one|put the evidence|write the few)[^]*/.exec(text)?.[0])
      .find(Boolean) ?? null
  );
}

/** The model's next step: the next tool call, or the whole answer. */
function nextOf(prompt, results) {
  if (!prompt.includes(SERVER)) return { say: JSON.stringify(addLies(narrated(prompt))) };
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
  // A turn that was skipped is skipped again.
  const writes = prompt.includes("has no evidence chain") ? [] : writesOf(answer);
  const at = results.length - reads.length;
  return at < writes.length ? { tool, given: { value: writes[at] } } : { say: "done" };
}

/** Each statement first with lies, then without them; one turn is never written. */
function writesOf(answer) {
  const wrong = listOf(addLies(structuredClone(answer)));
  const right = listOf(answer);
  const kept = answer.evidence_chains && right.length > 1 ? right.slice(0, -1) : right;
  return kept.flatMap((value, i) => (wrong[i] ? [wrong[i], value] : [value]));
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
    ref,
    first: Number(first),
    last: Number(last),
    project,
    session,
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
