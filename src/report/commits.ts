/** A commit an agent made, as far as the command and its output tell. */
export interface Commit {
  /** Short hash as git printed it; null when the command was quiet. */
  hash: string | null;
  branch: string | null;
  subject: string | null;
  amended: boolean;
  line: number;
}

// `git`, its own options, `commit`: at the start of a command, not inside another word.
const COMMAND =
  /(?:^|[\n;&|(]|\bthen\b|\bdo\b)\s{0,20}(?:(?:[A-Z_]{1,40}=\S{0,80}|sudo|env|time|command)\s{1,5}){0,5}git(?:\s{1,5}(?:-[Cc]\s{1,5}\S{1,200}|--?[\w-]{1,30}(?:=\S{1,200})?)){0,6}\s{1,5}commit(?![\w-])([^\n;&|]{0,2000})/g;

/** What git prints: `[main 1a2b3c4] Subject`, `[main (root-commit) 1a2b3c4] …`, `[detached HEAD 1a2b3c4] …`. */
const PRINTED = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.{0,500})$/gm;

/** Commits of one finished call. A failed call made those its output shows; a quiet one made the one it was told to. */
export function commitsOf(command: string, output: string, ok: boolean, line: number): Commit[] {
  const asked = [...command.matchAll(COMMAND)].filter((match) => !/\s--dry-run\b/.test(match[1] ?? ""));
  if (asked.length === 0) return [];
  const amended = asked.some((match) => /\s--amend\b/.test(match[1] ?? ""));
  const printed = [...output.matchAll(PRINTED)].map(([, branch = "", hash = "", subject = ""]): Commit => ({
    hash,
    branch: branch === "detached HEAD" ? null : branch,
    subject,
    amended,
    line,
  }));
  if (printed.length > 0) return printed;
  if (!ok || /nothing to commit|no changes added to commit/.test(output)) return [];
  // Only a commit that was told to be quiet may be silent; others would have said something.
  const quiet = asked.find((match) => /\s(?:-[a-zA-Z]*q[a-zA-Z]*|--quiet)\b/.test(match[1] ?? ""));
  if (!quiet && output.trim() !== "") return [];
  const told = (quiet ?? asked[0]) as RegExpExecArray;
  const subject = messageOf(command.slice(told.index));
  return [{ hash: null, branch: null, subject, amended, line }];
}

/** First line of the message given with `-m`: quoted, bare, or through a here-document. */
function messageOf(command: string): string | null {
  const flag = /\s(?:-[a-zA-Z]*m|--message)(?:\s{1,5}|=)/.exec(command);
  if (!flag) return null;
  const rest = command.slice(flag.index + flag[0].length, flag.index + flag[0].length + 4000);
  const here = /^"?\$\(cat <<-?\s?['"]?(\w{1,40})['"]?\n([^\n]{0,500})/.exec(rest);
  if (here) return (here[2] ?? "").trim() || null;
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'([^']*)'/.exec(rest);
  const text = quoted ? (quoted[1]?.replace(/\\(["\\$`])/g, "$1") ?? quoted[2] ?? "") : (/^\S+/.exec(rest)?.[0] ?? "");
  return text.split("\n")[0]?.trim() || null;
}
