import { fieldsOf } from "../../base/io/json.ts";
import { commandsOf, PATHS, textIn } from "../../base/shell/commands.ts";
import { deletesOutside } from "./deletion.ts";
import { holdsSecret, isCredentialFile, touchesCredentials } from "./credentials.ts";
import { installsFromNetwork } from "./install.ts";
import { isOutside, type WorkingPlace } from "../../base/shell/working-place.ts";
import { programsOf, programsOfWords, type ProgramRun } from "../../base/shell/program-runs.ts";
import { hasOption, operands } from "../../base/shell/options.ts";

/** The risk rules, in the order in which they are listed. `docs/risk.md` describes each. */
export const RISKS = ["delete_outside", "force_push", "force_push_lease", "credentials", "network_install"] as const;
export type Risk = (typeof RISKS)[number];

export type { WorkingPlace as Place };

/** The risk rules that apply to a tool call. Uses only the call and where it ran, never the file system. */
export function risksOf(name: string, input: unknown, place: WorkingPlace): Risk[] {
  const fields = fieldsOf(input);
  const workdir = textIn(fields, ["workdir", "working_dir", "working_directory", "cwd", "directory"]);
  const there = workdir === null ? place : { ...place, cwd: absolute(workdir, place.cwd) };
  const found = new Set<Risk>();
  for (const commands of commandsOf(name, input)) addCommandRisks(commands, there, found);
  if (found.size === 0) addFileRisks(name, input, fields, there, found);
  return RISKS.filter((risk) => found.has(risk));
}

/** Resolves a relative directory against the working directory of the turn. */
function absolute(dir: string, cwd: string | null): string | null {
  if (/^(?:[/~]|[A-Za-z]:)/.test(dir)) return dir;
  return cwd === null ? null : `${cwd}/${dir}`;
}

/**
 * Cheap filter: no rule applies to a command without one of these words. Every call is checked when it is read, and
 * most commands need not be parsed.
 */
const WORTH_READING = new RegExp(
  [
    String.raw`(?<![\w-])(?:rm|ri|srm|rmdir|unlink|shred|trash|rimraf|remove-item)(?![\w-])|-delete|\bclean\b|--del|\bpush\b|`,
    String.raw`\benv\b|\.env|printenv|\.ssh|gnupg|aws|id_[rde]|netrc|npmrc|pypirc|credential|secret|token|passw|key|auth`,
    String.raw`|\.p(?:em|12|fx|gpass)\b|jks\b|vault|kube|export -p|security |\bpass |\bop |gpg|heroku`,
    String.raw`|htpasswd|my\.cnf|docker/config|hosts\.yml|gcloud|service-account|shadow|sudoers`,
    String.raw`|\b(?:c?npm|pnpm|yarn|bun|deno|pip[\d.]*|pipx|uv|poetry|pdm|rye|hatch|(?:micro)?mamba|conda|apt|apt-get|aptitude|dnf`,
    String.raw`|yum|microdnf|zypper|port|snap|flatpak|choco|winget|scoop|pkg|apk|brew|cargo|go|gem|nvm|fnm|volta|asdf|mise|pyenv`,
    String.raw`|rbenv|rustup|bundle|composer|dotnet|gh)\s[^\n;|&]{0,200}?\b(?:install|isntall|i|in|add|create|init|exec|dlx|x`,
    String.raw`|inject|reinstall|upgrade|get|use|update|require|package)\b|pipx run|tool run|pacman|npx|bunx|uvx`,
    String.raw`|curl|wget|fetch|https?\b|aria2c|iwr|irm|invoke-`,
  ].join(""),
  "i",
);

function addCommandRisks(command: string | readonly string[], place: WorkingPlace, found: Set<Risk>): void {
  const text = typeof command === "string" ? command : command.join(" ");
  if (holdsSecret(text)) found.add("credentials");
  if (!WORTH_READING.test(text)) return;
  const programs: readonly ProgramRun[] =
    typeof command === "string" ? programsOf(command, place) : programsOfWords(command, place);
  for (const ran of programs) {
    if (deletesOutside(ran, place)) found.add("delete_outside");
    const push = forcedPush(ran);
    if (push !== null) found.add(push === "plain" ? "force_push" : "force_push_lease");
    if (touchesCredentials(ran)) found.add("credentials");
  }
  if (installsFromNetwork(programs)) found.add("network_install");
}

const LOOKS_INTO = /read|write|edit|create|view|replace|patch|grep|open|cat|insert/i;
const REMOVES = /delete|remove|unlink|rm(?:dir)?$/i;

/** Checks tools that work on files directly. */
function addFileRisks(
  name: string,
  input: unknown,
  fields: ReturnType<typeof fieldsOf>,
  place: WorkingPlace,
  found: Set<Risk>,
): void {
  const path = textIn(fields, PATHS);
  if (path !== null) {
    if (LOOKS_INTO.test(name) && isCredentialFile(path)) found.add("credentials");
    if (REMOVES.test(name) && isOutside(path, place.cwd, place)) found.add("delete_outside");
  }
  const patch = typeof input === "string" ? input : (textIn(fields, ["input", "patch"]) ?? "");
  if (!patch.startsWith("*** Begin Patch")) return;
  for (const [, verb, file = ""] of patch.matchAll(/^\*\*\* (Update|Add|Delete) File: (.{1,1000})$/gm)) {
    if (verb === "Delete" && isOutside(file, place.cwd, place)) found.add("delete_outside");
    else if (verb !== "Delete" && isCredentialFile(file)) found.add("credentials");
  }
}

/** `plain` overwrites any remote state, `lease` only the last known one; null when the push is not forced. */
function forcedPush({ program, args }: ProgramRun): "plain" | "lease" | null {
  if (program !== "git") return null;
  const before = /^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/;
  const [command] = operands(args, before);
  if (command !== "push") return null;
  const given = args.slice(args.indexOf("push") + 1);
  if (hasOption(given, /^--dry-run$/, "n")) return null;
  const [, ...refspecs] = operands(given, /^(?:-o|--push-option|--receive-pack|--exec|--repo)$/);
  if (hasOption(given, /^--(?:force|mirror)$/, "f") || refspecs.some((spec) => spec.startsWith("+"))) return "plain";
  return hasOption(given, /^--force-with-lease(?:=|$)/) ? "lease" : null;
}
