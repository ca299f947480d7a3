import { z } from "zod";
import { errorWithin } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json/json-value.ts";
import { configDuration, inlineModule, notYet } from "../../core/modules/config-fields.ts";
import { type App, defineModule } from "../../core/modules/module.ts";
import type { ModuleContext } from "../../core/modules/module-context.ts";
import type { ResourceKind } from "../../core/modules/usage-pool.ts";
import { makeConsoleEncoder } from "./encoders/console.ts";
import { makeJsonEncoder } from "./encoders/json.ts";
import { type LogEntry, type LogLevelName, levelRank, parseLevel } from "./log-entry.ts";
import { type LogEncoder, type LogWriter, logEncoders, logWriters } from "./log-modules.ts";
import { takesLogger } from "./logger-names.ts";
import { compileSampling } from "./sampling.ts";
import { makeStderrWriter } from "./writers/standard-streams.ts";

const logSchema = z.strictObject({
  writer: inlineModule("logging.writers", "output").nullish().describe("Where lines go (stderr)."),
  encoder: inlineModule("logging.encoders", "format")
    .nullish()
    .describe("How lines are written (console on a terminal, else json)."),
  core: notYet(),
  level: z
    .string()
    .refine((text) => parseLevel(text) !== undefined, { error: "unrecognized log level" })
    .nullish()
    .describe("DEBUG, INFO, WARN, ERROR, PANIC or FATAL: what is below is left out (INFO)."),
  sampling: z
    .strictObject({
      interval: configDuration().nullish().describe("Length of an interval (1s)."),
      first: z.int().min(0).nullish().describe("Entries of a kind in it that are all written (100)."),
      thereafter: z.int().min(0).nullish().describe("Then only every so many-th (100)."),
    })
    .nullish()
    .describe("Leaves out entries of a kind when there are many."),
  with_caller: z.boolean().nullish().describe("Accepted; callers are not logged."),
  with_caller_skip: z.int().nullish().describe("Accepted; callers are not logged."),
  with_stacktrace: z.string().nullish().describe("Accepted; stack traces are not logged."),
  include: z.array(z.string()).nullish().describe("Loggers, with all below them, that are written (all)."),
  exclude: z.array(z.string()).nullish().describe("Loggers, with all below them, that are left out."),
});

type LogConfig = z.infer<typeof logSchema>;

/** Config of the top level `logging`. Source: the public model (Caddy 2.11) */
export const loggingSchema = z
  .strictObject({
    sink: z
      .strictObject({
        writer: inlineModule("logging.writers", "output").nullish().describe("Where they go."),
      })
      .nullish()
      .describe("Accepted; there are no lines but those of logs."),
    logs: z
      .record(z.string(), logSchema)
      .nullish()
      .describe("Logs by name; `default` stands for one that is always there."),
  })
  .nullable();

interface Log {
  readonly rank: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly passes: ((entry: LogEntry) => boolean) | undefined;
  readonly writer: LogWriter;
  readonly encoder: LogEncoder;
}

/** Where the entries of one logger go. */
export interface NamedLogger {
  isEnabled(level: LogLevelName): boolean;
  log(level: LogLevelName, message: string, fields: LogEntry["fields"]): void;
}

/** The logs of one config. */
export class LogSet {
  readonly #logs: readonly Log[];
  readonly #byName = new Map<string, NamedLogger>();

  constructor(logs: readonly Log[]) {
    this.#logs = logs;
  }

  /** @param name `http.log.access.main` */
  logger(name: string): NamedLogger {
    let logger = this.#byName.get(name);
    if (logger === undefined) {
      const logs = this.#logs.filter(({ include, exclude }) => takesLogger(name, include, exclude));
      logger = {
        isEnabled: (level) => logs.some(({ rank }) => levelRank(level) >= rank),
        log(level, message, fields) {
          const entry: LogEntry = { level, timeMs: Date.now(), logger: name, message, fields };
          for (const { rank, passes, encoder, writer } of logs) {
            if (levelRank(level) >= rank && passes?.(entry) !== false) {
              writer.write(encoder.encode(entry));
            }
          }
        },
      };
      this.#byName.set(name, logger);
    }
    return logger;
  }

  /** Opens what can fail. @throws ServerError */
  async open(): Promise<void> {
    for (const { writer } of this.#logs) {
      await writer.open?.();
    }
  }

  close(): void {
    this.#byName.clear();
  }
}

/** The newest is that of the config that is being provisioned: configs are built one after the other. */
export const logSets: ResourceKind<LogSet> = { name: "logs" };

async function loadLog(config: LogConfig, context: ModuleContext, path: string): Promise<Log> {
  const writer = config.writer
    ? await context.loadInline(logWriters, "output", config.writer as JsonValue, `${path}/writer`)
    : makeStderrWriter();
  const encoder = config.encoder
    ? await context.loadInline(logEncoders, "format", config.encoder as JsonValue, `${path}/encoder`)
    : writer.isTerminal === true
      ? makeConsoleEncoder({ level_format: "color" })
      : makeJsonEncoder({});
  const sampling = config.sampling ?? undefined;
  return {
    rank: levelRank(parseLevel(config.level ?? "") ?? "info"),
    include: config.include ?? [],
    exclude: config.exclude ?? [],
    passes:
      sampling &&
      compileSampling(sampling.interval || 1000, sampling.first || 100, sampling.thereafter || 100),
    writer,
    encoder,
  };
}

let nextKey = 0;

/** The logs of a config: there for every config, whether it says anything of logging or not, before its apps. */
export const loggingApp = defineModule({
  id: "logging.app",
  config: loggingSchema,
  async provision(config, context): Promise<App> {
    const logs: Log[] = [];
    for (const [name, each] of Object.entries({ default: {}, ...config?.logs })) {
      try {
        logs.push(await loadLog(each, context, `logs/${name}`));
      } catch (error) {
        throw errorWithin(`setting up custom log '${name}'`, error);
      }
    }
    nextKey++;
    const { value } = await context.acquire(logSets, String(nextKey), () => new LogSet(logs));
    return { start: () => value.open(), activate() {}, stop: async () => {} };
  },
});
