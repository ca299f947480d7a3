import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { completionScript } from "./completion-script.ts";
import type { HelpSubject } from "./help-text.ts";
import { optionFields } from "./option-field.ts";

const subject: HelpSubject = {
  name: "a-process",
  description: "Does something.",
  commands: [
    ["run", "Start."],
    ["status", "Ask it's health."],
  ],
  fields: optionFields(
    z.object({
      "a.level": z.enum(["high", "low"]).default("low").describe("How [much]: it's said."),
      "a.path": z.string().default("").describe("Where."),
      "b.enabled": z.boolean().default(false).describe("Whether."),
    }),
  ),
};

/** Bash's completions for the last of these words. */
function offered(...line: readonly string[]): string[] {
  const script = `${completionScript("bash", subject)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _a_process; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", ...line], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

const hasBash = spawnSync("bash", ["--version"]).status === 0;

describe.skipIf(!hasBash)("the script for bash", () => {
  test.each([
    [
      ["a-process", ""],
      ["run", "status", "--a.level", "--a.path", "--b.enabled"],
    ],
    [["a-process", "st"], ["status"]],
    [
      ["a-process", "run", "--a."],
      ["--a.level", "--a.path"],
    ],
    [
      ["a-process", "--a.level", ""],
      ["high", "low"],
    ],
    [["a-process", "--a.level", "h"], ["high"]],
    [["a-process", "--a.path", ""], []],
    [["a-process", "--b.enabled", "--b"], ["--b.enabled"]],
  ])("after %j offers %j", (line, words) => {
    expect(offered(...line)).toEqual(words);
  });
});

test("writes zsh's form", () => {
  expect(completionScript("zsh", subject)).toBe(`#compdef a-process
_arguments \\
  '1:command:(run status)' \\
  '--a.level[How \\[much\\]\\: it'\\''s said.]:high|low:(high low)' \\
  '--a.path[Where.]:text:_files' \\
  '--b.enabled[Whether.]'
`);
});

test("writes fish's form", () => {
  expect(
    completionScript("fish", subject),
  ).toBe(`complete -c a-process -n __fish_use_subcommand -f -a run -d 'Start.'
complete -c a-process -n __fish_use_subcommand -f -a status -d 'Ask it\\'s health.'
complete -c a-process -l a.level -x -a 'high low' -d 'How [much]: it\\'s said.'
complete -c a-process -l a.path -r -d 'Where.'
complete -c a-process -l b.enabled -d 'Whether.'
`);
});

test.each([undefined, "", "powershell"])("refuses %j", (shell) => {
  expect(() => completionScript(shell, subject)).toThrow("completion: name a shell, one of bash, zsh, fish");
});
