import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { type ReadConfig, readConfig } from "./read-config.ts";

/** Interval of checking the file. Source: the public model (Caddy 2.11) */
const intervalMs = 1_000;
/** A large configuration is read less often, so that watching takes at most one part in this many of a core. */
const restFactor = 20;

/** Arguments of a watch. */
export interface ConfigWatch {
  /** The running configuration, as it was read. */
  readonly current: Uint8Array;
  readonly log: Logger;
  /** Runs what was read. @throws ServerError: the old one goes on */
  load(config: ReadConfig): Promise<void>;
}

/**
 * Reloads a configuration file whenever its result changes: the file, an imported file, or a variable. It
 * reads and adapts the file at intervals, so no import is missed, and no file that an editor or a volume
 * replaces. A configuration that cannot be read or run is logged once, and the next change is awaited.
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
