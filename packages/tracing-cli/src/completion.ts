import { CliError } from "./cli-error.ts";
import { commands } from "./commands/command-list.ts";
import { commonOptions } from "./common-options.ts";

/** First arguments that a shell can complete. `completion`, `version` and `help` are not in the list of commands. */
const names = [...commands.map(({ name }) => name), "completion", "version", "help"];

/** Options of a command as words: `--service --operation … --help`. Short forms are left out. */
function flagsOf(index: number): string {
  return Object.keys({ ...commands[index]?.options, ...commonOptions })
    .map((name) => `--${name}`)
    .join(" ");
}

/** Options with fixed values: pairs of an option's words, such as `--output|-o`, and its values. */
function choicesOf(index: number): readonly (readonly [words: string, values: string])[] {
  return Object.entries({ ...commands[index]?.options, ...commonOptions }).flatMap(
    ([name, { choices, short }]) =>
      choices === undefined
        ? []
        : [[`--${name}${short === undefined ? "" : `|-${short}`}`, choices.join(" ")] as const],
  );
}

/** Branches of a `case` over the command and the word before, one for each option with fixed values. */
const choiceCases = (line: (words: string, values: string) => string) =>
  commands
    .flatMap(({ name }, index) =>
      choicesOf(index).map(([words, values]) =>
        line(
          words
            .split("|")
            .map((word) => `"${name} ${word}"`)
            .join("|"),
          values,
        ),
      ),
    )
    .join("\n");

/** One line of a script for each command. */
const cases = (line: (name: string, flags: string) => string) =>
  commands.map(({ name }, index) => line(name, flagsOf(index))).join("\n");

/**
 * Script for bash. It does not need the package `bash-completion`. `-o default` completes file names when no option
 * matches.
 */
const bash = () => `_tracing() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W '${names.join(" ")}' -- "$word")); return; fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${choiceCases((words, values) => `    ${words}) COMPREPLY=($(compgen -W '${values}' -- "$word")); return ;;`)}
  esac
  case "\${COMP_WORDS[1]}" in
${cases((name, flags) => `    ${name}) COMPREPLY=($(compgen -W '${flags}' -- "$word")) ;;`)}
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")) ;;
  esac
}
complete -o default -F _tracing tracing
`;

/** Script for zsh, to be stored as `_tracing` in a folder of `fpath`. */
const zsh = () => `#compdef tracing
if (( CURRENT == 2 )); then compadd ${names.join(" ")}; return; fi
case "$words[2] $words[CURRENT-1]" in
${choiceCases((words, values) => `  ${words}) compadd ${values}; return ;;`)}
esac
case "$words[2]" in
${cases((name, flags) => `  ${name}) compadd -- ${flags}; _files ;;`)}
  completion) compadd bash zsh fish ;;
esac
`;

/** Script for fish: one `complete` line for each option. `-r` means that a value follows. */
const fish = () =>
  `${[
    `complete -c tracing -n __fish_use_subcommand -f -a '${names.join(" ")}'`,
    ...commands.flatMap(({ name, options }) =>
      Object.entries({ ...options, ...commonOptions }).map(
        ([option, { type, choices }]) =>
          `complete -c tracing -n '__fish_seen_subcommand_from ${name}' -l ${option}${type === "string" ? " -r" : ""}${choices === undefined ? "" : ` -f -a '${choices.join(" ")}'`}`,
      ),
    ),
    "complete -c tracing -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'",
  ].join("\n")}\n`;

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/**
 * The script that makes a shell complete commands and options: `tracing completion bash`.
 * @throws CliError with exit code 2 for another shell, or without a shell
 */
export function completionFor(shell = ""): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) {
    throw new CliError(`completion: name a shell, one of ${Object.keys(scripts).join(", ")}`, 2);
  }
  return script();
}
