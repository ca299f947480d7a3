import { type CompletedCommand, programName } from "./completion-tree.ts";

/** Quotes a word for fish, which has two escapes in single quotes. */
function quotedForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** A function that prints the command on the current line, such as nothing, `run` or `storage export`. */
function commandFunction(tree: readonly CompletedCommand[]): string[] {
  const pairs = tree.filter(({ name }) => name.includes(" ")).map(({ name }) => quotedForFish(name));
  return [
    `function __${programName}_command`,
    "  set -l words (commandline -opc)",
    '  set -l pair "$words[2] $words[3]"',
    `  if contains -- $pair ${pairs.join(" ")}`,
    "    echo $pair",
    "  else",
    '    echo "$words[2]"',
    "  end",
    "end",
  ];
}

/** The `complete` lines of one command. */
function lines(command: CompletedCommand): string[] {
  const when = `"test (__${programName}_command) = '${command.name}'"`;
  const line = (...parts: string[]) => ["complete", "-c", programName, "-n", when, ...parts].join(" ");
  return [
    ...command.below.map(({ word, about }) => line("-a", word, "-d", quotedForFish(about))),
    ...command.choices.map((word) => line("-a", quotedForFish(word))),
    ...(command.completes === undefined ? [] : [line("-F")]),
    ...command.options.map(({ names, about, takesValue, choices, completes }) => {
      const value = !takesValue
        ? []
        : choices.length > 0
          ? ["-x", "-a", quotedForFish(choices.join(" "))]
          : completes === "folder"
            ? ["-x", "-a", quotedForFish("(__fish_complete_directories)")]
            : completes === "file"
              ? ["-r", "-F"]
              : ["-x"];
      const spelled = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      return line(...spelled, ...value, "-d", quotedForFish(about));
    }),
  ];
}

export function fishScript(tree: readonly CompletedCommand[]): string {
  return [...commandFunction(tree), `complete -c ${programName} -f`, ...tree.flatMap(lines), ""].join("\n");
}
