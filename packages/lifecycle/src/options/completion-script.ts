import { StartError } from "../errors.ts";
import type { HelpSubject } from "./help-text.ts";
import type { OptionField } from "./option-field.ts";

/** The shells for which `completion` prints a script. */
export const completionShells = ["bash", "zsh", "fish"] as const;

/** Quotes a text for a shell: within single quotes, only the quote itself is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function functionName(name: string): string {
  return `_${name.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
}

function words({ commands, fields }: HelpSubject): string[] {
  return [...commands.map(([command]) => command), ...fields.map((field) => `--${field.name}`)];
}

/** A boolean's value follows `=`, so it is not completed as the next word. */
function choicesOf(field: OptionField): readonly string[] {
  return field.kind === "boolean" ? [] : (field.choices ?? []);
}

function bash(subject: HelpSubject): string {
  const withChoices = subject.fields.filter((field) => choicesOf(field).length > 0);
  const withoutChoices = subject.fields.filter(
    (field) => field.kind !== "boolean" && choicesOf(field).length === 0,
  );
  const name = functionName(subject.name);
  return [
    `${name}() {`,
    `  local word="\${COMP_WORDS[COMP_CWORD]}"`,
    `  case "\${COMP_WORDS[COMP_CWORD-1]}" in`,
    ...withChoices.map(
      (field) =>
        `    --${field.name}) COMPREPLY=($(compgen -W ${quoted(choicesOf(field).join(" "))} -- "$word")); return ;;`,
    ),
    // The value may be a file name, which bash completes by itself.
    `    ${withoutChoices.map((field) => `--${field.name}`).join("|")}) COMPREPLY=(); return ;;`,
    "  esac",
    `  COMPREPLY=($(compgen -W ${quoted(words(subject).join(" "))} -- "$word"))`,
    "}",
    `complete -o default -F ${name} ${subject.name}`,
  ].join("\n");
}

function zsh({ name, commands, fields }: HelpSubject): string {
  const description = (text: string) => text.replaceAll(/[\\[\]:]/g, "\\$&");
  const value = (field: OptionField) => {
    if (field.kind === "boolean") {
      return "";
    }
    const choices = choicesOf(field);
    return `:${field.placeholder}:${choices.length > 0 ? `(${choices.join(" ")})` : "_files"}`;
  };
  return [
    `#compdef ${name}`,
    "_arguments \\",
    `  ${quoted(`1:command:(${commands.map(([command]) => command).join(" ")})`)} \\`,
    fields
      .map((field) => `  ${quoted(`--${field.name}[${description(field.description)}]${value(field)}`)}`)
      .join(" \\\n"),
  ].join("\n");
}

function fish({ name, commands, fields }: HelpSubject): string {
  const quotedForFish = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const line = (parts: readonly string[]) => ["complete", "-c", name, ...parts].join(" ");
  return [
    ...commands.map(([command, meaning]) =>
      line(["-n", "__fish_use_subcommand", "-f", "-a", command, "-d", quotedForFish(meaning)]),
    ),
    ...fields.map((field) => {
      const choices = choicesOf(field);
      const value =
        field.kind === "boolean"
          ? []
          : choices.length > 0
            ? ["-x", "-a", quotedForFish(choices.join(" "))]
            : ["-r"];
      return line(["-l", field.name, ...value, "-d", quotedForFish(field.description)]);
    }),
  ].join("\n");
}

const scripts = { bash, zsh, fish };

/**
 * The script with which a shell completes the commands and options of a process.
 * @throws StartError for any shell other than bash, zsh and fish
 */
export function completionScript(shell: string | undefined, subject: HelpSubject): string {
  const known = completionShells.find((name) => name === shell);
  if (known === undefined) {
    throw new StartError(`completion: name a shell, one of ${completionShells.join(", ")}`);
  }
  return `${scripts[known](subject)}\n`;
}
