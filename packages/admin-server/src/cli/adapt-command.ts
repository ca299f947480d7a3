import { parseArgs } from "node:util";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { messageOf } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { readConfig } from "./read-config.ts";

/** Without the shell of processes and its schemas, which take longer to load than all the rest. */
function readOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        config: { type: "string", short: "c", default: "Serverfile" },
        adapter: { type: "string", short: "a", default: "" },
        pretty: { type: "boolean", short: "p", default: false },
        validate: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new StartError(`adapt: ${messageOf(error)}`, { cause: error });
  }
}

/** `server adapt`: prints a configuration as JSON, members sorted. @returns the exit code. @throws StartError */
export async function adaptCommand(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const bytes = await readConfig(options.config, options.adapter);
  const text = options.pretty
    ? JSON.stringify(parseJson(bytes), undefined, "\t")
    : Buffer.from(bytes).toString();
  process.stdout.write(`${text}\n`);
  if (options.validate) {
    const { validateConfig } = await import("./validate-command.ts");
    await validateConfig(options.config, bytes);
  }
  return exitCodes.success;
}
