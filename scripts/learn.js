#!/usr/bin/env node
// Learns from learn/ which sentences of a final reply say that something is left open, and which prompts decide something
// after a reply: `npm run learn`. Writes how much is right from author to author (each author's examples judged by a model
// that has seen none of them) into docs/, and the weights learned from all into data/. Deterministic.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXCHANGE_BUCKETS, exchanges, SENTENCE_BUCKETS, sentences } from "./learn/examples.js";
import { fromAuthorToAuthor, share, stored, train } from "./learn/train.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const LESSONS = [
  {
    examples: sentences(),
    buckets: SENTENCE_BUCKETS,
    least: 0,
    is: "open",
    of: "sentences",
    about: "Weights of parts of sentences, learned by `npm run learn` from learn/; see docs/report.md.",
    data: "data/said-open.json",
    docs: "docs/report.md",
  },
  {
    examples: exchanges(),
    buckets: EXCHANGE_BUCKETS,
    least: 1.4,
    is: "decide",
    of: "exchanges",
    about: "Weights of signs of exchanges, learned by `npm run learn` from learn/; see docs/decisions.md.",
    data: "data/decides.json",
    docs: "docs/decisions.md",
  },
];

for (const { examples, buckets, least, is, of, about, data, docs } of LESSONS) {
  const lines = fromAuthorToAuthor(examples, buckets, least).map(
    ({ author, all, languages, yes, right, both, said }) => {
      const size = `${all.toLocaleString("en")}${languages > 1 ? ` in ${languages} languages` : ""}, ${yes} ${is}`;
      return `| ${author} | ${size} | ${share(right, all)} | ${share(both, yes)} | ${share(both, said)} |`;
    },
  );
  const head = [
    `| author | ${of} | right | of those that ${is === "open" ? "are open" : is} found | of those found true |`,
  ];
  const table = [...head, "|---|---|---|---|---|", ...lines].join("\n");
  console.log(`${table}\n`);
  const block = /(<!-- learned -->\n\n)[^]*?(\n\n<!-- end -->)/;
  write(
    docs,
    readFileSync(join(root, docs), "utf8").replace(block, (_, before, after) => before + table + after),
  );
  const model = train([...examples.values()].flat(), buckets);
  write(data, `${JSON.stringify(stored(about, model), null, 1)}\n`);
}

/** Programs that read it while nothing changes are not disturbed. */
function write(file, text) {
  const path = join(root, file);
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
