import { type CompletedCommand, programName } from "./completion-tree.ts";

/** Quotes a word for PowerShell, where a quote is doubled. */
function quotedForPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A PowerShell array of words, each with its description. */
function entry(words: readonly (readonly [word: string, about: string])[]): string {
  return `@(${words.map(([word, about]) => `,@(${quotedForPowerShell(word)}, ${quotedForPowerShell(about || word)})`).join("; ")})`;
}

/** Completion for PowerShell 5 and later. A word that is no command completes as a file, as in other shells. */
export function powerShellScript(tree: readonly CompletedCommand[]): string {
  const words = tree.map(({ name, below, choices, options }) => {
    const all = [
      ...below.map(({ word, about }) => [word, about] as const),
      ...choices.map((word) => [word, word] as const),
      ...options.map(({ names, about }) => [names[0] ?? "", about] as const),
    ];
    return `    ${quotedForPowerShell(name)} = ${entry(all)}`;
  });
  const values = tree.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .flatMap(({ names, choices }) =>
        names.map(
          (each) =>
            `    ${quotedForPowerShell(`${name} ${each}`)} = ${entry(choices.map((choice) => [choice, choice]))}`,
        ),
      ),
  );
  // PowerShell's hash tables ignore case, so the keys -R and -r would be the same.
  return [
    `Register-ArgumentCompleter -Native -CommandName '${programName}' -ScriptBlock {`,
    "  param($wordToComplete, $commandAst, $cursorPosition)",
    "  $words = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)",
    "  (@{",
    ...words,
    "  }).GetEnumerator() | ForEach-Object { $words[$_.Key] = $_.Value }",
    "  $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)",
    ...values.map((line) => line.replace(/^ {4}('(?:[^']|'')*') = /, "  $values[$1] = ")),
    "  $given = @($commandAst.CommandElements | ForEach-Object { $_.ToString() } | Select-Object -Skip 1)",
    "  if ($wordToComplete -ne '') { $given = @($given | Select-Object -SkipLast 1) }",
    "  $command = ''",
    "  if ($given.Count -gt 0) { $command = $given[0] }",
    '  if ($given.Count -gt 1 -and $words.ContainsKey("$command $($given[1])")) { $command = "$command $($given[1])" }',
    "  $last = if ($given.Count -gt 0) { $given[-1] } else { '' }",
    '  $found = if ($values.ContainsKey("$command $last")) { $values["$command $last"] } elseif ($words.ContainsKey($command)) { $words[$command] } else { @() }',
    '  $found | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])",
    "  }",
    "}",
    "",
  ].join("\n");
}
