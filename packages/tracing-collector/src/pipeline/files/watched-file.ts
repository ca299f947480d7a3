import { type Health, type Logger, StartError } from "lifecycle";
import { RepeatingTask } from "../repeating-task.ts";
import type { ReloadMetrics } from "./reload-metrics.ts";

/** Options for a file that is read repeatedly and whose contents are in use. */
export interface WatchedFileOptions<Source> {
  /** Name of the contents in messages: `quotas stay as they were: …`. */
  readonly contents: string;
  /** Topic in the health report, which is degraded while the file cannot be used. Absent: no health report. */
  readonly topic?: string;
  /** Reads the file. Rejects when it is missing; it may also reject for a mistake in it. */
  readonly read: () => Promise<Source>;
  /** Returns a text that is equal for equal contents. Contents with the same text as before are not used again. */
  readonly keyOf: (source: Source) => string;
  /** Replaces the former contents. Throws for a mistake in the contents; then nothing was changed. */
  readonly use: (source: Source) => void;
  /** Counts used and refused files. Absent: no metrics. */
  readonly metrics?: ReloadMetrics;
}

/** Services that get reports about a file. */
export interface WatchedFileContext {
  readonly log: Logger;
  /** Health report; required when the file has a topic. */
  readonly health?: Pick<Health, "degrade">;
}

/**
 * Reads a file repeatedly, one read at a time. When the file has a mistake, its former contents stay in use. The
 * mistake is logged and counted once, and the health report shows it until the file is valid again.
 *
 * | file since the last look | contents in use | counted | health report |
 * |---|---|---|---|
 * | unchanged | stay | nothing | as before |
 * | changed | are replaced | `used` | not degraded |
 * | missing, or with a mistake | stay | `refused`, once for each mistake | degraded |
 * | mended, equal to the contents in use | stay | nothing | not degraded |
 */
export class WatchedFile<Source> {
  readonly #options: WatchedFileOptions<Source>;
  readonly #context: WatchedFileContext;
  /** Text of the contents in use. */
  #key: string;
  /** Message of the last mistake; undefined while the file can be used. */
  #fault: string | undefined;
  #task: RepeatingTask | undefined;

  /** @param first contents that are already in use */
  constructor(first: Source, options: WatchedFileOptions<Source>, context: WatchedFileContext) {
    this.#options = options;
    this.#context = context;
    this.#key = options.keyOf(first);
  }

  /**
   * Starts reading; must be called at most once. @param intervalMs time from the end of a read to the next in
   * milliseconds; 0: never
   */
  start(intervalMs: number): void {
    if (intervalMs === 0) {
      return;
    }
    this.#task = new RepeatingTask(async () => {
      await this.look();
      return intervalMs;
    });
    this.#task.start(intervalMs);
  }

  /** Resolves when a running read has ended. No further read starts. */
  async close(): Promise<void> {
    await this.#task?.stop();
  }

  /** Reads the file once. Never rejects. */
  async look(): Promise<void> {
    const { read, keyOf, use, metrics } = this.#options;
    try {
      const source = await read();
      const key = keyOf(source);
      if (key !== this.#key) {
        use(source);
        this.#key = key;
        metrics?.reloaded("used");
      }
      this.#fault = undefined;
      metrics?.setUpToDate(true);
      this.#report(undefined);
    } catch (error) {
      this.#refuse((error as Error).message);
    }
  }

  #refuse(fault: string): void {
    if (fault === this.#fault) {
      return;
    }
    this.#fault = fault;
    const { metrics, contents } = this.#options;
    metrics?.reloaded("refused");
    metrics?.setUpToDate(false);
    const message = `${contents} stay as they were: ${fault}`;
    this.#context.log.error(message);
    this.#report(message);
  }

  #report(reason: string | undefined): void {
    const { topic } = this.#options;
    if (topic !== undefined) {
      this.#context.health?.degrade(topic, reason);
    }
  }
}

/**
 * Reads a file for the first time. A mistake in the file stops the startup.
 * @param option name without dashes: `collector.quotas.file`
 * @param mistakes class of the errors that are mistakes of the file; other errors pass unchanged
 * @throws StartError whose message begins with the option
 */
export async function readAtStart<Result>(
  option: string,
  mistakes: new (...args: never[]) => Error,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof mistakes
      ? new StartError(`option --${option}: ${error.message}`, { cause: error })
      : error;
  }
}
