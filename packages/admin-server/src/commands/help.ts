import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { commandHelp, commandsBelow, groupHelp, programHelp } from "../cli/help-text.ts";
import { didYouMean } from "../cli/nearest-word.ts";

/** `server help`. Exit codes: 0; 1 for an unknown command. */
export const help = defineCommand({
  name: "help",
  summary: "Print what a command does, or what commands there are",
  options: {},
  operands: { usage: "[command]", most: 2 },
  examples: [
    { line: "server help", about: "Lists all commands." },
    { line: "server help storage export", about: "The same as server storage export --help." },
  ],
  async run(_, words, { names, all }) {
    const commands = await all();
    const name = words.join(" ");
    const command = commands.find((each) => each.name === name);
    const below = commandsBelow(commands, name);
    if (name === "") {
      process.stdout.write(programHelp(commands));
    } else if (command !== undefined) {
      process.stdout.write(commandHelp(command, below));
    } else if (below.length > 0) {
      process.stdout.write(groupHelp(name, below));
    } else {
      throw new StartError(`help: unknown command "${name}"${didYouMean(name, names)}`);
    }
    return exitCodes.success;
  },
});
