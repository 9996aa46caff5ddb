import { hasOption, operands } from "../../base/shell/options.ts";
import { UNKNOWN_PART } from "../../base/shell/working-place.ts";
import { baseName, type ProgramRun } from "../../base/shell/program-runs.ts";

const DOWNLOADERS = new Set([
  "curl",
  "wget",
  "fetch",
  "http",
  "https",
  "aria2c",
  "iwr",
  "irm",
  "invoke-webrequest",
  "invoke-restmethod",
]);
const INTERPRETERS =
  /^(?:(?:ba|z|da|k|a|fi)?sh|python[\d.]*|node|bun|deno|perl|ruby|php|pwsh|powershell|iex|invoke-expression)$/;
const READERS = /^(?:source|\.|eval)$/;

/** True when something is installed or run from the network that the project's own files do not list. */
export function installsFromNetwork(programs: readonly ProgramRun[]): boolean {
  const fetched = new Set<string>();
  return programs.some((ran) => {
    if (runsDownload(ran, fetched)) return true;
    for (const file of downloadedTo(ran)) fetched.add(baseName(file));
    return installs(ran);
  });
}

/** `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`, or a file downloaded earlier in the same command. */
function runsDownload({ program, args, upstream, substitutions }: ProgramRun, fetched: ReadonlySet<string>): boolean {
  const interpreter = INTERPRETERS.test(program);
  if ((interpreter || READERS.test(program)) && substitutions.some((ran) => DOWNLOADERS.has(ran.program))) return true;
  if (interpreter && upstream.some((ran) => DOWNLOADERS.has(ran.program)) && readsProgram(program, args)) return true;
  const [script] = operands(args);
  const run = interpreter || READERS.test(program) ? baseName(script ?? "") : program;
  return run !== "" && fetched.has(run);
}

/** Without a script argument an interpreter runs its input; `python -m json.tool` and `node -e …` have one. */
function readsProgram(program: string, args: readonly string[]): boolean {
  if (program.endsWith("sh"))
    return !args.some((arg) => /^-[a-z]*c$/.test(arg)) && (hasOption(args, /^$/, "s") || operands(args).length === 0);
  return args.every((arg) => arg === "-");
}

function downloadedTo({ program, args, redirects }: ProgramRun): string[] {
  if (!DOWNLOADERS.has(program)) return [];
  const out = [...redirects];
  for (const [at, arg] of args.entries()) {
    if (/^(?:-[A-Za-z]*o|--output|--output-document|-[A-Za-z]*O|-OutFile)$/.test(arg)) out.push(args[at + 1] ?? "");
    else out.push(...(/^(?:--output|--output-document)=(.+)$/.exec(arg)?.slice(1) ?? []));
  }
  const keepsName = program === "wget" || args.some((arg) => /^-[A-Za-z]*O$|^--remote-name/.test(arg));
  if (keepsName) out.push(...args.filter((arg) => arg.includes("://")).map((url) => url.replace(/[?#].*$/, "")));
  return out.filter((file) => file !== "" && file !== "-" && file !== "/dev/null");
}

/** A package manager: its install subcommands, and its options that take a value. */
interface Manager {
  program: RegExp;
  asks: RegExp;
  takesValue?: RegExp;
  /** Counts even without a package name; other managers then install what the project lists. */
  nameless?: boolean;
}

const NODE_OPTIONS = /^(?:--prefix|-C|--dir|--cwd|--registry|-w|--workspace|--filter|-F|--loglevel|--tag|--cache)$/;
const PIP_OPTIONS =
  /^(?:-r|--requirement|-c|--constraint|-i|--index-url|--extra-index-url|-f|--find-links|-t|--target|--python|-p|--prefix|--root)$/;

const MANAGERS: readonly Manager[] = [
  { program: /^(?:npm|cnpm)$/, asks: /^(?:install|i|in|add|isntall|create|init|exec)$/, takesValue: NODE_OPTIONS },
  { program: /^pnpm$/, asks: /^(?:add|install|i|dlx|create)$/, takesValue: NODE_OPTIONS },
  { program: /^yarn$/, asks: /^(?:add|dlx|create|global add|workspace \S+ add)$/, takesValue: NODE_OPTIONS },
  { program: /^bun$/, asks: /^(?:add|install|i|x|create)$/, takesValue: NODE_OPTIONS },
  { program: /^deno$/, asks: /^(?:install|add)$/ },
  { program: /^pip[\d.]*$/, asks: /^install$/, takesValue: PIP_OPTIONS },
  { program: /^(?:pipx|uvx)$/, asks: /^(?:install|run|inject)$/ },
  { program: /^uv$/, asks: /^(?:add|pip install|tool install|tool run)$/, takesValue: PIP_OPTIONS },
  { program: /^(?:poetry|pdm|rye|hatch)$/, asks: /^add$/, takesValue: /^(?:-G|--group|-E|--extras)$/ },
  {
    program: /^(?:conda|mamba|micromamba)$/,
    asks: /^(?:install|create)$/,
    takesValue: /^(?:-n|--name|-c|--channel|-p|--prefix|-f|--file)$/,
  },
  {
    program: /^(?:apt|apt-get|aptitude|dnf|yum|microdnf|zypper|port|snap|flatpak|choco|winget|scoop|pkg)$/,
    asks: /^(?:install|reinstall|in)$/,
    takesValue: /^(?:-t|--target-release|-o|-c)$/,
  },
  { program: /^apk$/, asks: /^add$/, takesValue: /^(?:-t|--virtual|-X|--repository)$/ },
  { program: /^brew$/, asks: /^(?:install|reinstall|cask install|upgrade)$/ },
  {
    program: /^cargo$/,
    asks: /^(?:install|binstall|add)$/,
    takesValue:
      /^(?:--version|--vers|--features|-F|--root|--registry|--index|--branch|--tag|--rev|--bin|--package|-p)$/,
  },
  { program: /^go$/, asks: /^(?:install|get)$/ },
  {
    program: /^(?:gem|nvm|fnm|volta|asdf|mise|pyenv|rbenv)$/,
    asks: /^(?:install|use)$/,
    takesValue: /^(?:-v|--version)$/,
  },
  { program: /^rustup$/, asks: /^(?:install|toolchain install|component add|target add|update)$/, nameless: true },
  { program: /^bundle$/, asks: /^add$/ },
  { program: /^composer$/, asks: /^(?:require|global require)$/ },
  { program: /^dotnet$/, asks: /^(?:tool install|tool update|add package|add \S+ package)$/ },
  { program: /^(?:gh)$/, asks: /^extension install$/ },
];

function installs(ran: ProgramRun): boolean {
  const { program, args } = ran;
  if (hasOption(args, /^--(?:dry-run|help|no-index|simulate|offline)$/)) return false;
  if (/^python[\d.]*$/.test(program) && args[0] === "-m" && (args[1] ?? "").startsWith("pip"))
    return installs({ ...ran, program: "pip", args: args.slice(2) });
  if (/^(?:npx|pnpx|bunx|uvx)$/.test(program)) return fetchesAndRuns(program, args);
  if (program === "pacman") return args.some((arg) => /^-S[yuw]*$/.test(arg)) && operands(args).length > 0;
  const manager = MANAGERS.find((candidate) => candidate.program.test(program));
  if (!manager) return false;
  const words = operands(args, manager.takesValue);
  const asked = [1, 2, 3].find((n) => manager.asks.test(words.slice(0, n).join(" ")));
  if (asked === undefined) return false;
  if (program === "npm" && words[0] === "exec") return fetchesAndRuns("npx", args.slice(1));
  if (program === "cargo" && args.includes("--path")) return false;
  const names = words.slice(asked).filter((name) => !isLocal(name));
  // Packages of Go's standard library have no host name.
  const foreign = program === "go" ? names.filter((name) => /^[^/]*\./.test(name)) : names;
  return manager.nameless === true || foreign.length > 0;
}

/** `npx tool` usually runs what is installed; with `--yes` or a version it downloads. */
function fetchesAndRuns(program: string, args: readonly string[]): boolean {
  const [tool = "", next] = operands(args, /^(?:-p|--package|--from|--with|--python)$/);
  if (hasOption(args, /^--no-install$|^--no$/)) return false;
  if (program === "uvx") return tool !== "";
  const stated = hasOption(args, /^(?:-y|--yes)$/) || hasOption(args, /^(?:-p|--package)(?:=|$)/);
  return stated || /^.+@[^/]+$/.test(tool) || (tool === "playwright" && next === "install");
}

/** True for paths and package files, which are not downloaded, and for names that are unknown. */
function isLocal(name: string): boolean {
  if (name.includes("://") || name.startsWith("git+")) return false;
  return (
    name === "" ||
    name.startsWith(UNKNOWN_PART) ||
    /^(?:[./~]|file:|link:|workspace:|[A-Za-z]:[\\/])/.test(name) ||
    /\.(?:whl|tgz|tar\.gz|deb|rpm|gem)$/.test(name)
  );
}
