import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { type ReadConfig, readConfig } from "./read-config.ts";

/** How often the file is looked at. Source: the public model (Caddy 2.11) */
const intervalMs = 1_000;
/** A large configuration is read less often, so that watching takes at most one part in this many of a core. */
const restFactor = 20;

export interface ConfigWatch {
  /** What runs already, as it was read. */
  readonly current: Uint8Array;
  readonly log: Logger;
  /** Runs what was read. @throws ServerError: the old one goes on */
  load(config: ReadConfig): Promise<void>;
}

/**
 * Loads a configuration file again whenever it comes to something else: it, a file that it imports, or a variable. It is
 * read and adapted in turn, so that no import is missed, and neither is a file that an editor or a volume replaces. What
 * cannot be read or does not run is told once, and the next change is waited for.
 * @returns ends it
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
