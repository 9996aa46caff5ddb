// The labelled examples of learn/.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundled } from "../bundled.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "learn");
const { partsOf, BUCKETS: SENTENCE_BUCKETS } = await loadBundled("src/answers/report/loose/said-model.ts");
const { featuresAfter, BUCKETS: EXCHANGE_BUCKETS } = await loadBundled("src/turns/decisions/prose/decides.ts");

/** Sentences of final replies: whether one says that something is open. By author. */
export function sentences() {
  return byAuthor(
    (file) => !file.startsWith("exchanges-"),
    // Files of one voice are by one hand: they count as one author.
    (file) => (file.startsWith("voice-") ? "voices" : file),
    sentencesIn,
  );
}

/** Exchanges: whether a prompt decides something after a reply. By author. */
export function exchanges() {
  const authors = byAuthor(
    (file) => file.startsWith("exchanges-"),
    (file) => file.replace("exchanges-", ""),
    exchangesIn,
  );
  const path = join(root, "test/fixtures/decisions/PROSE.json");
  const invented = JSON.parse(readFileSync(path, "utf8")).map(({ reply, prompt, decision, language }) =>
    exchange(reply, prompt, decision !== null, language),
  );
  return authors.set("thirteen languages", invented);
}

export { EXCHANGE_BUCKETS, SENTENCE_BUCKETS };

function byAuthor(isIncluded, authorOf, read) {
  const authors = new Map();
  const files = readdirSync(folder)
    .filter((file) => /\.(?:jsonl|txt)$/.test(file))
    .toSorted();
  for (const file of files.filter(isIncluded)) {
    const author = authorOf(file.replace(/\..*/, ""));
    authors.set(author, [...(authors.get(author) ?? []), ...read(readFileSync(join(folder, file), "utf8"), file)]);
  }
  return authors;
}

/** `author-1.jsonl`: one object a line; `*.txt`: `@language`, then `+ open` and `- not open`. */
function sentencesIn(text, file) {
  if (file.endsWith(".jsonl"))
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ t, y, l }) => sentence(t, y === 1, l));
  let language = "en";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("@")) language = line.slice(1).trim();
    return /^[+-] /.test(line) ? [sentence(line.slice(2), line.startsWith("+"), language)] : [];
  });
}

function sentence(text, is, language) {
  return { features: new Map([...partsOf(text)].map((part) => [part, 1])), is, language };
}

/** `@language`, the lines of a reply after `=`, then prompts to it: `+ decides` and `- does not`. */
function exchangesIn(text) {
  let language = "en";
  let reply = [];
  let isAnswered = false;
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("@")) language = line.slice(1).trim();
    if (line.startsWith("=")) {
      if (isAnswered) reply = [];
      isAnswered = false;
      reply.push(line.slice(2));
    }
    if (!/^[+-] /.test(line)) return [];
    isAnswered = true;
    return [exchange(reply.join("\n"), line.slice(2).replaceAll(" ⏎ ", "\n"), line.startsWith("+"), language)];
  });
}

function exchange(reply, prompt, is, language) {
  return { features: featuresAfter(prompt, reply), is, language };
}
