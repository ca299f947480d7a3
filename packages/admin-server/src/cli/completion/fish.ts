import { type CompletedCommand, programName } from "./completion-tree.ts";

function quotedForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** When the words so far are those of a command, and name none below it. */
function condition({ name, below }: CompletedCommand): string {
  const [first = "", second] = name.split(" ");
  const none = below.map(({ word }) => word).join(" ");
  if (first === "") {
    return "__fish_use_subcommand";
  }
  const not = none === "" ? "" : `; and not __fish_seen_subcommand_from ${none}`;
  return second === undefined
    ? `__fish_seen_subcommand_from ${first}${not}`
    : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
}

function lines(command: CompletedCommand): string[] {
  const when = quotedForFish(condition(command));
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

/** Completion for fish. */
export function fishScript(tree: readonly CompletedCommand[]): string {
  return [`complete -c ${programName} -f`, ...tree.flatMap(lines), ""].join("\n");
}
