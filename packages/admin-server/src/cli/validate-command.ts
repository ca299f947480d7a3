import { createLogger, createMetrics, exitCodes, parseOptions } from "lifecycle";
import { z } from "zod";
import { errorWithin } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { Server } from "../server.ts";
import { readConfig } from "./read-config.ts";

const validateOptions = z.object({
  config: z.string().default("Serverfile"),
  adapter: z.string().default(""),
});

/** Sets up all that a configuration names, without ports and without running it. @throws ServerError naming the file */
export async function validateConfig(path: string, bytes: Uint8Array): Promise<void> {
  const server = await Server.create({
    environment: process.env,
    log: createLogger({ name: "server", level: "error", encoding: "auto" }),
    metrics: createMetrics("admin-server"),
    onStopRequest: () => {},
  });
  try {
    await server.engine.validate(parseJson(bytes));
  } catch (error) {
    throw errorWithin(`--config ${path}`, error);
  } finally {
    await server.stop();
  }
}

/** `server validate`: whether a configuration would run; ports are not tried. @returns the exit code */
export async function validateCommand(args: readonly string[]): Promise<number> {
  const { options } = parseOptions(validateOptions, { arguments: args, environment: {} });
  await validateConfig(options.config, await readConfig(options.config, options.adapter));
  process.stdout.write("Valid configuration\n");
  return exitCodes.success;
}
