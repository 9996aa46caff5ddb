#!/usr/bin/env node
// Writes docs/schema/answers.v1.schema.json, what `--json` prints, from the types in src/answers/json.ts; with --check
// only compares. The types that the code is checked against are the only definition, so nothing can get out of step.
import { publishedJson, writeGenerated } from "./generated.js";
import { schemasOf } from "./type-schema.js";

const { members: commands, defs } = schemasOf("src/answers/json.ts", "Answers", (name) => `#/$defs/${name}`);
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "urn:agent-daybook:schema:answers:v1",
  title: "What the commands of Daybook print with --json",
  description:
    "`commands` says which definition an answer follows. Later releases may add fields; none changes its meaning.",
  anyOf: Object.values(commands),
  commands,
  $defs: defs,
};

const answersFile = "docs/schema/answers.v1.schema.json";
writeGenerated(answersFile, publishedJson(answersFile, schema), "gen-answers.js");

const files = schemasOf("src/views/narrative.ts", "NarrationFiles", (name) => `#/$defs/${name}`);
const narration = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "urn:agent-daybook:schema:narration:v1",
  title: "What a narration writes into the workspace of its day",
  description: "`files` says which definition a file follows; of a .jsonl file each line does.",
  anyOf: Object.values(files.members),
  files: files.members,
  $defs: files.defs,
};

const narrationFile = "docs/schema/narration.v1.schema.json";
writeGenerated(narrationFile, publishedJson(narrationFile, narration), "gen-answers.js");
