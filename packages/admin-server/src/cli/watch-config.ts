import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { type ReadConfig, readConfig } from "./read-config.ts";

/** Interval of checking the file. Source: Caddy 2.11 */
const intervalMs = 1_000;
/** A large configuration is checked less often, so that watching uses at most one twentieth of a core. */
const restFactor = 20;

/** Arguments of a watch. */
export interface ConfigWatch {
  /** The running configuration as JSON. */
  readonly current: Uint8Array;
  readonly log: Logger;
  /** Loads a configuration. @throws ServerError; the old configuration then continues */
  load(config: ReadConfig): Promise<void>;
}

/**
 * Loads a configuration file again whenever its JSON changes, because of the file, an imported file or a variable. The
 * file is read and adapted at intervals, so imports and replaced files are noticed too. If a configuration cannot be
 * read or run, this is logged once, and watching continues.
 * @returns a function that ends the watch
 */
export function watchConfig(
  path: string,
  adapter: string,
  { current, log, load }: ConfigWatch,
): () => Promise<void> {
  let last = Buffer.from(current).toString("latin1");
  let lastFault = "";
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let ended = false;
  const look = async (): Promise<void> => {
    try {
      const config = await readConfig(path, adapter);
      lastFault = "";
      const text = Buffer.from(config.json).toString("latin1");
      if (text !== last) {
        last = text;
        log.info(`${path} changed: loading it`);
        await load(config);
      }
    } catch (error) {
      const fault = messageOf(error);
      if (fault !== lastFault) {
        lastFault = fault;
        log.error(`--watch: the configuration that runs goes on: ${fault}`);
      }
    }
  };
  const wait = (ms: number): void => {
    timer = setTimeout(() => {
      const startedAt = performance.now();
      looking = look().then(() => {
        if (!ended) {
          wait(Math.max(intervalMs, (performance.now() - startedAt) * restFactor));
        }
      });
    }, ms);
  };
  wait(intervalMs);
  log.info(`watching ${path} and what it imports`);
  return async () => {
    ended = true;
    clearTimeout(timer);
    await looking;
  };
}
