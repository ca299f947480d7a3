import { type CompletedCommand, type CompletedOption, programName } from "./completion-tree.ts";
import { quoted } from "./quote.ts";

/** Escapes a description in `_arguments`, where brackets and colons are special. */
function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, "\\$&");
}

function action(choices: readonly string[], completes: "file" | "folder" | undefined): string {
  if (choices.length > 0) {
    return `(${choices.map((each) => each.replaceAll(" ", "\\ ")).join(" ")})`;
  }
  return completes === "folder" ? "_files -/" : completes === "file" ? "_files" : " ";
}

/** Specifications of an option for zsh, one for each of its names. */
function optionSpecs(option: CompletedOption): string[] {
  const value = option.takesValue ? `:value:${action(option.choices, option.completes)}` : "";
  const others = `(${option.names.join(" ")})`;
  const [mark, exclusive] = option.takesValue ? ["=", ""] : ["", others];
  return option.names.map((name) =>
    quoted(`${exclusive}${name}${name.startsWith("--") ? mark : ""}[${escaped(option.about)}]${value}`),
  );
}

/** Name of the function of a command: `_server_storage_export`. */
function functionName(name: string): string {
  return `_${programName}${name === "" ? "" : `_${name.replaceAll(/[^a-z0-9]/g, "_")}`}`;
}

/** Specification of the words after a command. */
function operandSpec({ choices, completes }: CompletedCommand): string[] {
  return choices.length === 0 && completes === undefined
    ? []
    : [quoted(`*:argument:${action(choices, completes)}`)];
}

function functionLines(command: CompletedCommand): string[] {
  const { name, below, options } = command;
  const specs = options.flatMap(optionSpecs);
  if (below.length === 0) {
    return [
      `${functionName(name)}() {`,
      "  _arguments -s \\",
      `${[...specs, ...operandSpec(command)].map((each) => `    ${each}`).join(" \\\n")}`,
      "}",
    ];
  }
  return [
    `${functionName(name)}() {`,
    "  local curcontext=$curcontext state line",
    "  _arguments -s -C \\",
    `${[...specs, quoted("1:command:->command"), quoted("*::argument:->argument")].map((each) => `    ${each}`).join(" \\\n")}`,
    "  case $state in",
    "    command)",
    "      local -a commands=(",
    ...below.map(({ word, about }) => `        ${quoted(`${word}:${escaped(about)}`)}`),
    "      )",
    "      _describe command commands ;;",
    "    argument)",
    "      case $line[1] in",
    ...below.map(({ word }) => `        ${word}) ${functionName(name === "" ? word : `${name} ${word}`)} ;;`),
    "      esac ;;",
    "  esac",
    "}",
  ];
}

/** Completion for zsh, to be sourced or placed in a folder of `fpath`. */
export function zshScript(tree: readonly CompletedCommand[]): string {
  return [
    `#compdef ${programName}`,
    ...tree.flatMap(functionLines),
    `if [ "$funcstack[1]" = "_${programName}" ]; then _${programName} "$@"; else compdef _${programName} ${programName}; fi`,
    "",
  ].join("\n");
}
