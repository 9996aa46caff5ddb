import { redact } from "../../base/redact/redact.ts";
import { operands } from "../../base/shell/options.ts";
import { UNKNOWN_PART } from "../../base/shell/working-place.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";

/** Files that contain secrets by convention; examples and public keys are excluded below. */
const FILES: readonly RegExp[] = [
  /(?:^|\/)(?:[\w-]+)?\.env(?:\.[\w.-]+)?$/,
  /(?:^|\/)\.envrc$/,
  /(?:^|\/)\.(?:ssh|gnupg|aws)(?:\/|$)/,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?$/,
  /(?:^|\/)(?:\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|\.htpasswd)$/,
  /(?:^|\/)\.(?:docker\/config\.json|kube\/config|cargo\/credentials(?:\.toml)?|gem\/credentials)$/,
  /(?:^|\/)\.config\/(?:gh\/hosts\.yml|gcloud(?:\/.*)?)$/,
  /(?:^|\/)(?:credentials|secrets?)\.(?:json|ya?ml|toml|ini)$/,
  /(?:^|\/)(?:service-account|client_secret)[\w.-]*\.json$/,
  /(?:^|\/)\.(?:codex\/auth\.json|claude\/\.credentials\.json|local\/share\/opencode\/auth\.json)$/,
  /\.(?:p12|pfx|jks|keychain(?:-db)?)$/,
  /(?:^|\/)(?!(?:.*[._-])?(?:cert|chain|fullchain|ca|public|pub)s?[._-]?[\w-]*\.pem$)[\w.-]+\.pem$/,
  /^\/etc\/(?:shadow|gshadow|sudoers)$/,
];
const HARMLESS =
  /\.env\.(?:example|sample|template|tpl|dist|defaults?|schema)$|\.pub$|\.ssh\/(?:known_hosts|config|authorized_keys)|\.aws\/config$/;

export function isCredentialFile(path: string): boolean {
  if (path.length > 1000) return false;
  const name = path
    .replaceAll("\\", "/")
    .replace(/\*+$/, "")
    .replace(/(?<=[^.])\.$/, "");
  return !HARMLESS.test(name) && FILES.some((shape) => shape.test(name));
}

/** Programs that take file names without reading the contents. */
const BLIND = new Set(
  "echo printf ls ll la stat test [ [[ mkdir touch rm rmdir unlink trash chmod chown find fd which type cd pushd basename dirname realpath readlink du wc file export unset read for".split(
    " ",
  ),
);
/** Programs whose first operand is a pattern or a script, not a file. */
const PATTERN_FIRST = new Set("grep egrep fgrep rg ag ack sed awk gawk jq yq perl".split(" "));
const PATTERN_OPTIONS =
  /^(?:-[efgmABCt]|--(?:glob|include|exclude|exclude-dir|regexp|type|max-count|arg|argjson|slurpfile))$/;
const SHOWING_GIT = new Set(["add", "show", "diff", "cat-file"]);

const SECRET_NAME =
  /(?:secret|token|passw(?:or)?d|passphrase|credentials?|(?:api|access|private|auth|signing)_?key)\w{0,8}$/i;
const SECRET_WORD = /secret|token|passw|credential|(?:api|access|private|auth)[_.-]?key|\bkey\b/i;

/** Commands whose purpose is to print a secret, matched from the start. */
const VAULTS: readonly RegExp[] = [
  /^security (?:find-(?:generic|internet)-password|dump-keychain|export)/,
  /^secret-tool (?:lookup|search)/,
  /^pass (?:show|-c|[\w/.-]*\/)/,
  /^op (?:read|item get|document get)/,
  /^vault (?:read|kv get|token)/,
  /^gh auth (?:token|status .*(?:-t|--show-token))/,
  /^gcloud auth (?:application-default )?print-(?:access|identity)-token/,
  /^aws (?:configure (?:get|export-credentials|set)|secretsmanager get-secret-value|sts get-session-token|ecr get-login)/,
  /^az (?:account get-access-token|keyvault secret show)/,
  /^kubectl (?:.* )?get secrets?\b.*(?:-o|--output|template)/,
  /^git credential(?:-\w+)? (?:fill|get)/,
  /^gpg .*--export-secret/,
  /^npm (?:token|config (?:set|get) .*(?:_auth|token|password))/i,
  /^heroku (?:auth:token|config(?::get)?\b)/,
];

/** True when the program reads, writes or prints secrets. */
export function touchesCredentials(ran: ProgramRun): boolean {
  const { program, args } = ran;
  if (ran.redirects.some(isCredentialFile)) return true;
  if (filesOf(ran).some(isCredentialFile)) return true;
  const line = `${program} ${args.slice(0, 12).join(" ")}`.slice(0, 1000);
  return VAULTS.some((shape) => shape.test(line)) || printsSecrets(ran);
}

/** True when the text itself contains a secret. */
export function holdsSecret(text: string): boolean {
  return redact(text) !== text;
}

function filesOf({ program, args }: ProgramRun): string[] {
  if (BLIND.has(program)) return [];
  if (program === "git") {
    const [command = "", ...rest] = operands(args, /^-[Cc]$/);
    return SHOWING_GIT.has(command) ? rest.map((word) => word.slice(word.indexOf(":") + 1)) : [];
  }
  const words = PATTERN_FIRST.has(program) ? afterPattern(args) : args;
  // `--env-file=.env`, `-F file=@.env`, `user@host:.env`
  return words.flatMap((word) => [word, ...word.split(/[=@:,]/).slice(1)]);
}

function afterPattern(args: readonly string[]): string[] {
  const [, ...files] = operands(args, PATTERN_OPTIONS);
  return args.some((arg) => /^(?:-e|-f|--regexp)$/.test(arg)) ? operands(args, PATTERN_OPTIONS) : files;
}

function printsSecrets({ program, args, variables, downstream }: ProgramRun): boolean {
  if (program === "echo" || program === "printf") return variables.some((name) => SECRET_NAME.test(name));
  const whole =
    (program === "env" && args.length === 0) ||
    (program === "export" && args.join(" ") === "-p") ||
    program === "printenv";
  if (!whole) return false;
  if (program === "printenv" && args.length > 0) return args.some((name) => SECRET_NAME.test(name));
  // Prints the whole environment, unless a filter downstream passes only a harmless part.
  const next = downstream.find((ran) => PATTERN_FIRST.has(ran.program) || ran.program === "wc");
  if (!next) return true;
  if (next.program === "wc" || countsOrIsQuiet(next.args)) return false;
  const [pattern = ""] = operands(next.args, PATTERN_OPTIONS);
  return pattern.includes(UNKNOWN_PART) || SECRET_WORD.test(pattern);
}

function countsOrIsQuiet(args: readonly string[]): boolean {
  return args.some((arg) => /^-(?:[a-z]*[cq][a-z]*)$/.test(arg) && arg !== "-e");
}
