import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { completionShells } from "../cli/completion/shells.ts";

/** `server completion <shell>`. Exit codes: 0; 1 for an unknown or missing shell. */
export const completion = defineCommand({
  name: "completion",
  summary: "Print what makes a shell complete commands and options",
  options: {},
  operands: { usage: `[${completionShells.join("|")}]`, most: 1, choices: completionShells },
  examples: [
    {
      line: "source <(server completion bash)",
      about: "For this session; > /etc/bash_completion.d/server for all.",
    },
    { line: `server completion zsh > "\${fpath[1]}/_server"`, about: "zsh, from the next session on." },
    { line: "server completion fish > ~/.config/fish/completions/server.fish", about: "fish." },
    {
      line: "server completion powershell | Out-String | Invoke-Expression",
      about: "PowerShell, for this session.",
    },
  ],
  async run(_, [shell], commands) {
    const known = completionShells.find((each) => each === shell);
    if (known === undefined) {
      throw new StartError(`completion: name a shell, one of ${completionShells.join(", ")}`);
    }
    const { completionScript } = await import("../cli/completion/completion-script.ts");
    process.stdout.write(completionScript(known, await commands.all()));
    return exitCodes.success;
  },
});
