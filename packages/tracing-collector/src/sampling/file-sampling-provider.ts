import { type ClientTls, type Logger, StartError } from "lifecycle";
import type { SamplingStrategyResponse } from "wire/api-v2";
import { RepeatingTask } from "../pipeline/repeating-task.ts";
import { parseStrategies, StrategiesError } from "./parse-strategies.ts";
import { readStrategies, sourceText } from "./read-strategies.ts";
import type { SamplingProvider } from "./sampling-provider.ts";
import { noStrategies, type Strategies, strategiesOfFile } from "./strategies-of-file.ts";

/** The options of strategies from a file. */
export interface FileSamplingOptions {
  /** Path or http(s) URL; "" for none: every service gets the built-in default. */
  readonly source: string;
  /** For an https URL; the provider closes it. */
  readonly tls?: ClientTls | undefined;
  /** Interval of reading the source again; 0: read once. */
  readonly reloadIntervalMs: number;
  /** Whether rate-limited services get the default's operations, for the text that is read at the start. */
  readonly bugfix5270: boolean;
}

const flag = "--sampling.strategies-file";

/** Most warnings that are logged for one text. */
const maxWarnings = 20;

/**
 * Sampling strategies from a file. When the file is read again, unchanged text is ignored, and text that is
 * faulty changes nothing. Text that is read again is always merged as with `bugfix5270`, as in the public
 * model.
 * @throws StartError when the file is missing or faulty
 */
export async function openFileSamplingProvider(
  { source, tls, reloadIntervalMs, bugfix5270 }: FileSamplingOptions,
  log: Logger,
): Promise<SamplingProvider> {
  if (tls !== undefined && !/^https:/i.test(source)) {
    tls.close();
    throw new StartError(
      "--sampling.strategies.tls.enabled needs an https address in --sampling.strategies-file",
    );
  }
  if (source === "") {
    return new FileSamplingProvider(noStrategies);
  }
  const where = sourceText(source);

  // Parses a text and logs its warnings. Errors are thrown, so that the caller can keep the strategies of before.
  function understand(text: string, defaultOperationsForRateLimited: boolean): Strategies {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const file = parseStrategies(text, (path) => warn(`${path} has no meaning`));
    const strategies =
      file === undefined ? noStrategies : strategiesOfFile(file, { defaultOperationsForRateLimited, warn });
    for (const message of warnings.slice(0, maxWarnings)) {
      log.warn(`sampling strategies ${where}: ${message}`);
    }
    if (warnings.length > maxWarnings) {
      log.warn(`sampling strategies ${where}: ${warnings.length - maxWarnings} more warnings`);
    }
    if (file === undefined) {
      log.info(`sampling strategies ${where}: there are none, the built-in default is used`);
    }
    return strategies;
  }

  let text: string;
  let provider: FileSamplingProvider;
  try {
    text = await readStrategies(source, tls?.material);
    provider = new FileSamplingProvider(understand(text, bugfix5270), tls);
  } catch (error) {
    tls?.close();
    throw error instanceof StrategiesError
      ? new StartError(`${flag}: ${where}: ${error.message}`, { cause: error })
      : error;
  }
  log.info({ services: provider.services }, `sampling strategies read from ${where}`);

  const reloading = new RepeatingTask(async () => {
    try {
      const next = await readStrategies(source, tls?.material);
      if (next !== text) {
        provider.use(understand(next, true));
        text = next;
        log.info({ services: provider.services }, `sampling strategies read again from ${where}`);
      }
    } catch (error) {
      log.error(
        { err: error },
        `sampling strategies ${where} stay as they were: ${(error as Error).message}`,
      );
    }
    return reloadIntervalMs;
  });
  if (reloadIntervalMs > 0) {
    provider.keep(reloading, reloadIntervalMs);
  }
  return provider;
}

/** Answers from a map, which a reload replaces as a whole. */
class FileSamplingProvider implements SamplingProvider {
  #strategies: Strategies;
  #reloading: RepeatingTask | undefined;

  readonly #tls: ClientTls | undefined;

  constructor(strategies: Strategies, tls?: ClientTls) {
    this.#strategies = strategies;
    this.#tls = tls;
  }

  get services(): number {
    return this.#strategies.ofService.size;
  }

  strategyFor(service: string): SamplingStrategyResponse {
    return this.#strategies.ofService.get(service) ?? this.#strategies.default;
  }

  use(strategies: Strategies): void {
    this.#strategies = strategies;
  }

  /** Starts the task, and stops it when the provider closes. */
  keep(reloading: RepeatingTask, delayMs: number): void {
    this.#reloading = reloading;
    reloading.start(delayMs);
  }

  async close(): Promise<void> {
    await this.#reloading?.stop();
    this.#tls?.close();
  }
}
