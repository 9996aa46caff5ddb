import { has, operands } from "../../shell/options.ts";
import { UNKNOWN } from "../../shell/working-place.ts";
import { baseName, type Ran } from "../../shell/ran.ts";

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

/** Something from the network is installed or run that the project's own files do not list. */
export function installsFromNetwork(programs: readonly Ran[]): boolean {
  const fetched = new Set<string>();
  return programs.some((ran) => {
    if (runsDownload(ran, fetched)) return true;
    for (const file of downloadedTo(ran)) fetched.add(baseName(file));
    return installs(ran);
  });
}

/** `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`, and a file that was fetched a moment ago. */
function runsDownload({ program, args, upstream, inWords }: Ran, fetched: ReadonlySet<string>): boolean {
  const interpreter = INTERPRETERS.test(program);
  if ((interpreter || READERS.test(program)) && inWords.some((ran) => DOWNLOADERS.has(ran.program))) return true;
  if (interpreter && upstream.some((ran) => DOWNLOADERS.has(ran.program)) && readsProgram(program, args)) return true;
  const [script] = operands(args);
  const run = interpreter || READERS.test(program) ? baseName(script ?? "") : program;
  return run !== "" && fetched.has(run);
}

/** Without a script of its own an interpreter runs what it reads: `python -m json.tool` and `node -e …` have one. */
function readsProgram(program: string, args: readonly string[]): boolean {
  if (program.endsWith("sh"))
    return !args.some((arg) => /^-[a-z]*c$/.test(arg)) && (has(args, /^$/, "s") || operands(args).length === 0);
  return args.every((arg) => arg === "-");
}

function downloadedTo({ program, args, redirects }: Ran): string[] {
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

/** What a package manager installs by name: the words that ask for it, and its options that take a word of their own. */
interface Manager {
  program: RegExp;
  asks: RegExp;
  takesValue?: RegExp;
  /** Without a name it installs what the project lists; with this it needs none. */
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

function installs(ran: Ran): boolean {
  const { program, args } = ran;
  if (has(args, /^--(?:dry-run|help|no-index|simulate|offline)$/)) return false;
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
  // Packages of Go's own library have no host in their name.
  const foreign = program === "go" ? names.filter((name) => /^[^/]*\./.test(name)) : names;
  return manager.nameless === true || foreign.length > 0;
}

/** `npx tool` runs what is installed already; told not to ask, or given a version, it fetches. */
function fetchesAndRuns(program: string, args: readonly string[]): boolean {
  const [tool = "", next] = operands(args, /^(?:-p|--package|--from|--with|--python)$/);
  if (has(args, /^--no-install$|^--no$/)) return false;
  if (program === "uvx") return tool !== "";
  const stated = has(args, /^(?:-y|--yes)$/) || has(args, /^(?:-p|--package)(?:=|$)/);
  return stated || /^.+@[^/]+$/.test(tool) || (tool === "playwright" && next === "install");
}

/** A path or a file of the project is no download; what cannot be known is taken for none. */
function isLocal(name: string): boolean {
  if (name.includes("://") || name.startsWith("git+")) return false;
  return (
    name === "" ||
    name.startsWith(UNKNOWN) ||
    /^(?:[./~]|file:|link:|workspace:|[A-Za-z]:[\\/])/.test(name) ||
    /\.(?:whl|tgz|tar\.gz|deb|rpm|gem)$/.test(name)
  );
}
