import { type ClientTls, type Logger, StartError } from "lifecycle";
import type { SamplingStrategyResponse } from "wire/api-v2";
import { WatchedFile } from "../pipeline/files/watched-file.ts";
import { parseStrategies, StrategiesError } from "./parse-strategies.ts";
import { readStrategies, sourceText } from "./read-strategies.ts";
import type { SamplingProvider } from "./sampling-provider.ts";
import { noStrategies, type Strategies, strategiesOfFile } from "./strategies-of-file.ts";

export interface FileSamplingOptions {
  /** Path or http(s) URL. "": no source; every service gets the built-in strategy. */
  readonly source: string;
  /** TLS settings for an https URL; the provider closes the object. */
  readonly tls?: ClientTls | undefined;
  /** Time between two reads of the source in milliseconds; 0: read once. */
  readonly reloadIntervalMs: number;
  /** True: rate-limited services also get the default strategy's operations. It applies to the text read at startup. */
  readonly bugfix5270: boolean;
}

const flag = "--sampling.strategies-file";

/** Maximum number of warnings that are logged for one text. The number of the others is logged in one line. */
const maxWarnings = 20;

/**
 * Sampling strategies from a file. When the file is read again, unchanged text and faulty text change nothing. As in
 * Jaeger, text that is read again is always merged as with `bugfix5270`.
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
  const read = () => readStrategies(source, tls?.material);
  const understand = (text: string, defaultOperationsForRateLimited: boolean) =>
    strategiesOf(text, defaultOperationsForRateLimited, (level, message) =>
      log[level](`sampling strategies ${where}: ${message}`),
    );
  let text: string;
  let provider: FileSamplingProvider;
  try {
    text = await read();
    provider = new FileSamplingProvider(understand(text, bugfix5270), tls);
  } catch (error) {
    tls?.close();
    throw error instanceof StrategiesError
      ? new StartError(`${flag}: ${where}: ${error.message}`, { cause: error })
      : error;
  }
  log.info({ services: provider.services }, `sampling strategies read from ${where}`);
  provider.watch(
    new WatchedFile(
      text,
      {
        contents: `sampling strategies ${where}`,
        read,
        keyOf: (text) => text,
        use(text) {
          provider.use(understand(text, true));
          log.info({ services: provider.services }, `sampling strategies read again from ${where}`);
        },
      },
      { log },
    ),
    reloadIntervalMs,
  );
  return provider;
}

/**
 * Parses the text of a strategies file.
 * @param say called for at most 20 warnings, and when there are no strategies
 * @throws StrategiesError for a mistake; the caller then keeps the former strategies
 */
function strategiesOf(
  text: string,
  defaultOperationsForRateLimited: boolean,
  say: (level: "info" | "warn", message: string) => void,
): Strategies {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const file = parseStrategies(text, (path) => warn(`${path} has no meaning`));
  const strategies =
    file === undefined ? noStrategies : strategiesOfFile(file, { defaultOperationsForRateLimited, warn });
  for (const message of warnings.slice(0, maxWarnings)) {
    say("warn", message);
  }
  if (warnings.length > maxWarnings) {
    say("warn", `${warnings.length - maxWarnings} more warnings`);
  }
  if (file === undefined) {
    say("info", "there are none, the built-in default is used");
  }
  return strategies;
}

/** Answers from a map. A reload replaces the whole map. */
class FileSamplingProvider implements SamplingProvider {
  #strategies: Strategies;
  #watched: WatchedFile<string> | undefined;
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

  /** Starts to read the file repeatedly, until the provider closes. */
  watch(watched: WatchedFile<string>, intervalMs: number): void {
    this.#watched = watched;
    watched.start(intervalMs);
  }

  async close(): Promise<void> {
    await this.#watched?.close();
    this.#tls?.close();
  }
}
