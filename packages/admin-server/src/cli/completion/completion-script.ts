import type { Command } from "../command.ts";
import { bashScript } from "./bash.ts";
import { completionTree } from "./completion-tree.ts";
import { fishScript } from "./fish.ts";
import { powerShellScript } from "./powershell.ts";
import type { CompletionShell } from "./shells.ts";
import { zshScript } from "./zsh.ts";

/** Script generators by shell. All scripts are generated from the same tree, so every shell completes all commands. */
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powerShellScript };

/** The script that completes the server's commands, options and values in a shell. */
export function completionScript(shell: CompletionShell, commands: readonly Command[]): string {
  return scripts[shell](completionTree(commands));
}
