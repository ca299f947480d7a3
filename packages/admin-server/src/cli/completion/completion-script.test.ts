import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commandNames, loadAllCommands } from "../../commands/command-list.ts";
import { completionScript } from "./completion-script.ts";
import { completionShells } from "./shells.ts";

const commands = await loadAllCommands();
const folder = mkdtempSync(join(tmpdir(), "completion-"));
writeFileSync(join(folder, "Serverfile"), "");
mkdirSync(join(folder, "public folder"));
afterAll(() => rmSync(folder, { recursive: true }));

const has = (shell: string) => spawnSync(shell, ["--version"]).error === undefined;

describe.each(completionShells)("%s", (shell) => {
  test("names every command and every option", () => {
    const script = completionScript(shell, commands);
    const words = new Set([...commandNames.flatMap((name) => name.split(" "))]);
    for (const word of words) {
      expect(script).toContain(word);
    }
    for (const option of commands.flatMap(({ options }) => Object.keys(options))) {
      expect(script).toMatch(shell === "fish" ? new RegExp(`-l ${option}\\b`) : new RegExp(`--${option}\\b`));
    }
  });
});

describe.skipIf(!has("bash"))("in bash, where it is", () => {
  /** Bash's completions for the last of `words`. */
  function complete(...words: string[]): string[] {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const script = `${completionScript("bash", commands)}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _server 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync("bash", ["--norc", "-c", script], { cwd: folder, encoding: "utf8" });
    return output.split("\n").filter((line) => line !== "");
  }

  test.each<[string[], string[]]>([
    [["server", "rel"], ["reload"]],
    [
      ["server", "sto"],
      ["stop", "storage"],
    ],
    [
      ["server", "storage", ""],
      ["export", "import"],
    ],
    [["server", "storage", "export", "--o"], ["--output"]],
    [["server", "file-server", "ex"], ["export-template"]],
    [["server", "run", "--wa"], ["--watch"]],
    [
      ["server", "run", "--adapter", "js"],
      ["json", "json5"],
    ],
    [["server", "run", "--adapter", "=", "y"], ["yaml"]],
    [["server", "run", "-a", "t"], ["toml"]],
    [["server", "run", "--config", "S"], ["Serverfile"]],
    [["server", "fmt", "S"], ["Serverfile"]],
    [["server", "file-server", "--root", "p"], ["public folder"]],
    [["server", "reverse-proxy", "--to", ""], []],
    [["server", "completion", "z"], ["zsh"]],
    [["server", "help", "val"], ["validate"]],
  ])("%j", (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });
});

describe.skipIf(!has("zsh"))("in zsh, where it is", () => {
  test("is zsh", () => {
    execFileSync("zsh", ["-n"], { input: completionScript("zsh", commands) });
  });

  /** The line that a shell on a terminal of zsh's own makes of `line` and the tab key. */
  function complete(line: string, end: string): string {
    writeFileSync(join(folder, "_server"), completionScript("zsh", commands));
    const script = `
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell "PROMPT=; autoload -U compinit; compinit -D -u; source ./_server; print rea''dy"
zpty -r shell output '*ready*'
zpty -n -w shell '${line}'$'\t'
zpty -r -m shell output '*${end}' && print -r -- "$output"
zpty -d shell`;
    return execFileSync("zsh", ["-f", "-c", script], { cwd: folder, encoding: "utf8", timeout: 180_000 });
  }

  test.each([
    ["server rel", "server reload "],
    ["server storage ex", "server storage export "],
    ["server run --wa", "server run --watch "],
    ["server run --adapter y", "server run --adapter yaml "],
    ["server file-server --root p", "server file-server --root public\\\\ folder/"],
  ])(
    "%s",
    (line, expected) => {
      expect(complete(line, expected)).toContain(expected.replaceAll("\\\\", "\\"));
    },
    90_000,
  );
});

describe.skipIf(!has("fish"))("in fish, where it is", () => {
  test.each<[string, string[]]>([
    ["server rel", ["reload"]],
    ["server storage ", ["export", "import"]],
    ["server run --adapter js", ["json", "json5"]],
    ["server run --wa", ["--watch"]],
    ["server file-server --root p", ["public folder/"]],
    ["server help va", ["validate"]],
  ])("%s", (line, expected) => {
    const script = `${completionScript("fish", commands)}complete -C '${line}'`;
    const output = execFileSync("fish", ["--no-config", "-c", script], { cwd: folder, encoding: "utf8" });
    const words = output.split("\n").map((each) => each.split("\t")[0] ?? "");
    expect(words.filter((word) => word !== "")).toEqual(expected);
  });
});
