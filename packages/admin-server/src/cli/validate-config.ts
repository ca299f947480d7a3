import { createLogger, createMetrics } from "lifecycle";
import { errorWithin } from "server-core/errors";
import { parseJson } from "server-core/json/parse-json";
import { Server } from "../server.ts";

/**
 * Sets up all modules of a configuration without opening ports, and without running it. Modules may read files and
 * storages, as in a running server; the trust stores of the machine are not changed.
 * @throws ServerError naming the file
 */
export async function validateConfig(path: string, json: Uint8Array): Promise<void> {
  const server = await Server.create({
    environment: process.env,
    log: createLogger({ name: "server", level: "error", encoding: "auto" }),
    metrics: createMetrics("admin-server"),
    onStopRequest: () => {},
  });
  try {
    await server.engine.validate(parseJson(json));
  } catch (error) {
    throw errorWithin(`--config ${path}`, error);
  } finally {
    await server.stop();
  }
}
