import type { RecordBody, UserBody } from "../../format/record.ts";
import { readUser } from "./content.ts";
import { headerWithDirectory, titleRecords } from "./header.ts";
import { digest, objects, str, type Native } from "../kit/native.ts";
import { isKnown, rememberMessage, type ReaderState } from "./state.ts";
import { usageOf } from "./usage.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** `{"$set": …}` changes the session's own fields. With `messages` it restates the whole conversation. */
export function classifySet(set: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  if (!Array.isArray(set["messages"])) return verdict("session", "gemini.set.fields", () => titleRecords(set, state));
  const messages = objects(set["messages"]);
  const fresh = messages.filter((message) => !isKnown(state, str(message["id"]) ?? ""));
  return { ...judgeHistory(messages, fresh, ctx), open: false };
}

/**
 * Most messages in such a record were written before. New ones were never sent as messages of their own: context set up
 * by the client, the summary that replaces a compressed history, or a `!` command with its output.
 */
function judgeHistory(messages: readonly Native[], fresh: readonly Native[], ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const users = fresh.filter((message) => message["type"] === "user").map((message) => readUser(message));
  const restate = (usage: "duplicate" | "inherited", more: RecordBody[] = []): RecordBody[] => {
    for (const message of messages) rememberMessage(state, str(message["id"]) ?? "", ctx.line);
    return [...more, ...messages.flatMap((message) => usageOf(message, usage))];
  };
  const [only] = users;
  if (fresh.length === 1 && only?.role === "human" && only.kind === "shell" && state.kind === "root") {
    const body: UserBody = { type: "user", author: "human", text: only.text, kind: "shell", entry: "interactive" };
    return verdict("trigger", "gemini.set.shell", () => {
      state.triggers += 1;
      return restate("duplicate", [body]);
    });
  }
  const summary = users.find((user) => user.role === "summary");
  if (summary) {
    const text = ctx.full ? summary.text : null;
    return verdict("reaction", "gemini.set.compressed", () =>
      restate("duplicate", [{ type: "compacted", trigger: "unknown", summary: text }]),
    );
  }
  const scaffolding = users.length === fresh.length && users.every((user) => user.role === "injected");
  if (fresh.length > 0 && scaffolding) {
    const notes = users.map((user): UserBody => ({ type: "user", author: "source", text: ctx.full ? user.text : "" }));
    const cls = state.kind === "root" ? "setup" : "reaction";
    return verdict(cls, "gemini.set.context", () =>
      restate("duplicate", [
        ...headerWithDirectory(users.map((user) => user.text).join("\n"), ctx.path, state),
        ...notes,
      ]),
    );
  }
  // A file that begins with messages it has no lines for begins with another session's history.
  if (fresh.length === messages.length && fresh.length > 0 && state.triggers === 0 && state.kind === "root")
    return verdict("inherited", "gemini.set.history", () => restate("inherited"));
  return verdict("duplicate", "gemini.set.repeated", () => restate("duplicate"));
}

/** `{"$rewindTo": id}` takes back that message and everything after it; an unknown id takes back everything. */
export function classifyRewind(id: string, state: ReaderState): Verdict {
  const from = state.lines.get(digest(id)) ?? 1;
  return verdict("session", "gemini.rewind", () => [{ type: "cancelled", reason: "rewound", from_line: from }]);
}
