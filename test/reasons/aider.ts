import { REASONS } from "../../src/agents/aider/rules.ts";
import {
  announcements,
  header,
  message,
  prompt,
  reply,
  REPORT,
  sampleHistory,
} from "../../src/agents/aider/testing.ts";
import type { Listed, SmallFile } from "./listed.ts";

/** Texts in the format of Aider's `io.py`. Genuine histories may not be copied here. */
const FILES: readonly SmallFile[] = [
  { name: ".aider.chat.history.md", lines: sampleHistory().split("\n") },
  {
    name: "more/.aider.chat.history.md",
    lines: [
      header(),
      announcements(),
      message("^C again to exit"),
      prompt(""),
      prompt("Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: all"),
      prompt("/help models"),
      prompt("# Question: models\n\n# Relevant docs:"),
      reply("So."),
      prompt("/lint"),
      message("Fix lint errors in a.py?"),
      prompt("# Fix any errors below"),
      reply("fixed"),
      prompt("/architect build it"),
      prompt("build it"),
      reply("the plan"),
      prompt("the plan"),
      reply("done"),
      REPORT,
      message("litellm.APIError: overloaded"),
      prompt("/clear"),
      "\0\0\0\n",
    ]
      .join("")
      .split("\n"),
  },
  {
    // An editor has removed the trailing spaces that mark the lines of messages.
    name: "stripped/.aider.chat.history.md",
    lines: [...(header() + prompt("/clear")).replaceAll(/ +\n/g, "\n").split("\n"), "words nobody marked", ""],
  },
];

export const AIDER: Listed = {
  reasons: REASONS,
  folder: "src/agents/aider",
  prefix: "aider",
  fixtures: /^aider-/,
  files: FILES,
  unreached: { "aider.line.too_large": "needs a line of many megabytes" },
};
