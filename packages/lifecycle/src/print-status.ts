import { askStatus } from "./ask-status.ts";
import { createLogger } from "./logger.ts";
import type { ShellOptions } from "./shell-options.ts";
import { exitCodes } from "./stop-request.ts";
import { openServerTls } from "./tls/server-tls.ts";

const statusTimeoutMs = 5_000;

/** Jaeger's name of the address that `status` calls. */
export const statusAliases = { "status.http": "admin.http" };

/** Prints the health of a running process, which it reads from the process's admin port. @returns the exit code */
export async function printStatus(options: ShellOptions): Promise<number> {
  const log = createLogger({ name: "status", level: "fatal", encoding: "auto" });
  try {
    const tls = await openServerTls(options, "admin.http", log);
    const answer = await askStatus(options["admin.http.host-port"], statusTimeoutMs, tls?.material);
    process.stdout.write(`${answer.text}\n`);
    return answer.available ? exitCodes.success : exitCodes.startFailed;
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.startFailed;
  }
}
