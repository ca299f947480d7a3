import { type CompletedCommand, type CompletedOption, programName } from "./completion-tree.ts";
import { quoted, quotedWords } from "./quote.ts";

/** A `case` branch that completes the value of an option. */
function valueLine(name: string, option: CompletedOption): string {
  const pattern = option.names.map((each) => quoted(`${name}:${each}`)).join("|");
  const reply =
    option.choices.length > 0
      ? `COMPREPLY=($(compgen -W ${quotedWords(option.choices)} -- "$word"))`
      : option.completes === undefined
        ? "COMPREPLY=()"
        : `_${programName}_paths ${option.completes === "folder" ? "-d" : "-f"}`;
  return `    ${pattern}) ${reply}; return ;;`;
}

/** `case` branches that complete the words after a command. */
function wordLines({ name, below, options, choices, completes }: CompletedCommand): string[] {
  const words = [...below.map(({ word }) => word), ...choices];
  const names = options.map((option) => option.names[0] ?? "");
  return [
    `    ${quoted(name)})`,
    `      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W ${quotedWords(names)} -- "$word"))`,
    ...(words.length > 0
      ? [`      else COMPREPLY=($(compgen -W ${quotedWords(words)} -- "$word"))`]
      : completes !== undefined
        ? [`      else _${programName}_paths ${completes === "folder" ? "-d" : "-f"}`]
        : [`      else COMPREPLY=($(compgen -W ${quotedWords(names)} -- "$word"))`]),
    "      fi ;;",
  ];
}

/** Completion for bash 3.2 and later. */
export function bashScript(tree: readonly CompletedCommand[]): string {
  const pairs = tree.filter(({ name }) => name.includes(" ")).map(({ name }) => quoted(name));
  return [
    `_${programName}_paths() {`,
    "  compopt -o filenames 2>/dev/null",
    "  local IFS=$'\\n'",
    '  COMPREPLY=($(compgen "$1" -- "$word"))',
    "}",
    `_${programName}() {`,
    `  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command=""`,
    "  # bash makes three words of --option=value",
    `  if [[ $word == "=" ]]; then word=""; elif [[ $previous == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi`,
    `  if [[ $COMP_CWORD -gt 1 ]]; then command="\${COMP_WORDS[1]}"; fi`,
    "  if [[ $COMP_CWORD -gt 2 ]]; then",
    `    case "$command \${COMP_WORDS[2]}" in`,
    `      ${pairs.join("|")}) command="$command \${COMP_WORDS[2]}" ;;`,
    "    esac",
    "  fi",
    "  COMPREPLY=()",
    '  case "$command:$previous" in',
    ...tree.flatMap(({ name, options }) =>
      options.filter(({ takesValue }) => takesValue).map((option) => valueLine(name, option)),
    ),
    "  esac",
    '  case "$command" in',
    ...tree.flatMap(wordLines),
    "  esac",
    "}",
    `complete -F _${programName} ${programName}`,
    "",
  ].join("\n");
}
