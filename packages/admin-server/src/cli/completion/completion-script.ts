import type { Command } from "../command.ts";
import { bashScript } from "./bash.ts";
import { completionTree } from "./completion-tree.ts";
import { fishScript } from "./fish.ts";
import { powerShellScript } from "./powershell.ts";
import type { CompletionShell } from "./shells.ts";
import { zshScript } from "./zsh.ts";

/** Makers of scripts. All scripts are made of the same tree, so no shell lacks a command. */
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powerShellScript };

/** The script that makes a shell complete the commands of the server, their options and the values of those. */
export function completionScript(shell: CompletionShell, commands: readonly Command[]): string {
  return scripts[shell](completionTree(commands));
}
