import type { Command, Option } from "commander";
import { sourceIds } from "../../../answers/daybook.ts";
import { type Register, unknownValueError, ValuesOption } from "../flags.ts";
import { USAGE_WORDS } from "../usage/question.ts";

/** Values that no flag states, because it takes others too. */
const words = (): KnownWords => ({
  "--source": sourceIds(),
  "--since": ["today", "yesterday", "7d", "28d"],
  "--until": ["today", "yesterday"],
  "--date": ["today", "yesterday"],
  usage: USAGE_WORDS,
  completions: SHELLS,
});

export const completions: Register = (program, io) => {
  program
    .command("completions")
    .description("print a script that lets your shell complete commands and flags")
    .argument("<shell>", SHELLS.join(" | "))
    .addHelpText(
      "after",
      '\nExamples:\n  eval "$(daybook completions bash)"        in ~/.bashrc\n  eval "$(daybook completions zsh)"         in ~/.zshrc, after compinit\n  daybook completions fish | source         in ~/.config/fish/config.fish',
    )
    .action((given: string) => {
      const shell = SHELLS.find((known) => known === given);
      if (!shell) throw unknownValueError("shell", given, SHELLS);
      io.out(completionScript(shell, treeOf(program, words())));
    });
};

/** What a shell needs to know about the program to complete its words. */
interface CompletionTree {
  commands: CommandWords[];
}

interface CommandWords {
  name: string;
  about: string;
  flags: FlagWords[];
  /** The values its first argument may take. */
  words: readonly string[];
}

interface FlagWords {
  /** `-s`, `--since`. */
  names: string[];
  about: string;
  /** The value it takes: none, one of these, a file, or any text. */
  value: null | readonly string[] | "file" | "text";
}

/** Values of a flag, or of the argument of a command. */
type KnownWords = Readonly<Record<string, readonly string[]>>;

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

function treeOf(program: Command, known: KnownWords): CompletionTree {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    flags: [...flagsOf(command, known), HELP],
    words: [...(known[command.name()] ?? []), ...command.commands.map((action) => action.name())],
  }));
  return { commands };
}

const HELP: FlagWords = { names: ["-h", "--help"], about: "display help for command", value: null };

/** The command's own flags and those of its subcommands: completion does not tell the subcommands apart. */
function flagsOf(command: Command, known: KnownWords): FlagWords[] {
  const options = [command, ...command.commands].flatMap((one) => one.options);
  const first = options.filter((option, i) => options.findIndex(({ long }) => long === option.long) === i);
  return first.map((option) => flagOf(option, known));
}

function flagOf(option: Option, known: KnownWords): FlagWords {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const name = option.long ?? "";
  const own = option instanceof ValuesOption && option.values.length > 0 ? option.values : undefined;
  const words = own ?? known[name];
  const takes = option.required || option.optional;
  const isPlace = /<(?:dir|file|path|zip)>/.test(option.flags);
  return { names, about: option.description, value: takes ? (words ?? (isPlace ? "file" : "text")) : null };
}

function completionScript(shell: Shell, tree: CompletionTree): string {
  return { bash, zsh, fish }[shell](tree);
}

function bash({ commands }: CompletionTree): string {
  const cases = commands.map(({ name, flags, words }) => {
    const valued = flags.filter((flag) => flag.value !== null);
    const values = valued.map((flag) => `        ${flag.names.join("|")}) ${bashValue(flag.value)}; return ;;`);
    return [
      `    ${name})`,
      `      case $prev in`,
      ...values,
      `      esac`,
      `      COMPREPLY=($(compgen -W ${quote([...flags.flatMap((flag) => flag.names), ...words].join(" "))} -- "$cur")) ;;`,
    ].join("\n");
  });
  return `# bash completion for daybook: eval "$(daybook completions bash)"
_daybook() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cmd=\${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quote([...commands.map(({ name }) => name), "help", "--help", "--version"].join(" "))} -- "$cur"))
    return
  fi
  case $cmd in
    help) COMPREPLY=($(compgen -W ${quote(commands.map(({ name }) => name).join(" "))} -- "$cur")) ;;
${cases.join("\n")}
  esac
}
complete -o default -F _daybook daybook
`;
}

function bashValue(value: FlagWords["value"]): string {
  if (value === "file") return 'COMPREPLY=($(compgen -f -- "$cur"))';
  if (value === "text" || value === null) return ":";
  return `COMPREPLY=($(compgen -W ${quote(value.join(" "))} -- "$cur"))`;
}

function zsh({ commands }: CompletionTree): string {
  const list = commands.map(({ name, about }) => `    ${quote(`${name}:${about.replaceAll(":", "\\:")}`)}`);
  const cases = commands.map(({ name, flags, words }) => {
    const specs = flags.map(({ names, about, value }) => {
      const what = `[${about.replaceAll(/[[\]\\:]/g, "\\$&")}]${zshValue(value)}`;
      return names.length === 1 ? quote(`*${names[0] ?? ""}${what}`) : `'*'{${names.join(",")}}${quote(what)}`;
    });
    const rest = words.length > 0 ? `'*:word:(${words.join(" ")})'` : "'*:file:_files'";
    return `    ${name}) _arguments ${[...specs, rest].join(" \\\n      ")} ;;`;
  });
  return `#compdef daybook
# zsh completion for daybook: eval "$(daybook completions zsh)", after compinit
_daybook() {
  local -a commands=(
${list.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  words=("$words[1] $command" "\${(@)words[3,-1]}")
  ((CURRENT--))
  case $command in
${cases.join("\n")}
  esac
}
compdef _daybook daybook
`;
}

function zshValue(value: FlagWords["value"]): string {
  if (value === null) return "";
  if (value === "file") return ":file:_files";
  return value === "text" ? ":value: " : `:value:(${value.join(" ")})`;
}

function fish({ commands }: CompletionTree): string {
  const lines = commands.flatMap(({ name, about, flags, words }) => {
    const here = `complete -c daybook -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c daybook -n __fish_use_subcommand -f -a ${name} -d ${quote(about)}`,
      ...flags.map(({ names, about: what, value }) => {
        const asked = names.map((word) => (word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`));
        return `${here} ${asked.join(" ")} -d ${quote(what)}${fishValue(value)}`;
      }),
      ...(words.length > 0 ? [`${here} -f -a ${quote(words.join(" "))}`] : []),
    ];
  });
  return `# fish completion for daybook: daybook completions fish | source\n${lines.join("\n")}\n`;
}

function fishValue(value: FlagWords["value"]): string {
  if (value === null) return "";
  if (value === "file") return " -r -F";
  return value === "text" ? " -x" : ` -x -a ${quote(value.join(" "))}`;
}

/** Single quotes work in all three shells: nothing inside them is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
