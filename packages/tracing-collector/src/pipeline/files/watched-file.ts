import { type Health, type Logger, StartError } from "lifecycle";
import { RepeatingTask } from "../repeating-task.ts";
import type { ReloadMetrics } from "./reload-metrics.ts";

/** A file whose contents are in use, and that is looked at again and again. */
export interface WatchedFileOptions<Source> {
  /** Name of the contents in messages: `quotas stay as they were: …`. */
  readonly contents: string;
  /** Topic of the health report, which is degraded while the file cannot be used; absent: the report says nothing. */
  readonly topic?: string;
  /** Reads the file. Rejects when it is missing; it may also reject for a mistake in it. */
  readonly read: () => Promise<Source>;
  /** A text that is equal for equal contents. It stays in memory; contents with an equal text are not used again. */
  readonly keyOf: (source: Source) => string;
  /** Puts changed contents instead of those of before. Throws for a mistake in them, and has then changed nothing. */
  readonly use: (source: Source) => void;
  /** Counts used and refused files; absent where nothing counts them. */
  readonly metrics?: ReloadMetrics;
}

/** Receivers of news about a file. */
export interface WatchedFileContext {
  readonly log: Logger;
  /** Needed where the file has a topic. */
  readonly health?: Pick<Health, "degrade">;
}

/**
 * Looks at a file again and again, one look at a time. A mistake in the file leaves its contents as they were: it is
 * logged and counted once, and the health report shows it until the file can be read again.
 *
 * | file since the last look | contents in use | counted | health report |
 * |---|---|---|---|
 * | unchanged | stay | nothing | as before |
 * | changed | are replaced | `used` | not degraded |
 * | missing, or with a mistake | stay | `refused`, once a mistake | degraded |
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

  /** @param first contents that are in use already */
  constructor(first: Source, options: WatchedFileOptions<Source>, context: WatchedFileContext) {
    this.#options = options;
    this.#context = context;
    this.#key = options.keyOf(first);
  }

  /** Starts the looks; called once at most. @param intervalMs from the end of a look to the next; 0: never looks */
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

  /** Resolves when a look that was under way has ended. There is no look after it. */
  async close(): Promise<void> {
    await this.#task?.stop();
  }

  /** Looks at the file once. Never rejects. */
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
 * The first read of a file that an option names. A mistake in the file ends the start of the program.
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
