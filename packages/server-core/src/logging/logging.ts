import { z } from "zod";
import { errorWithin, ServerError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { configCount, configDuration, inlineModule, notYet } from "../modules/config-fields.ts";
import { type App, defineModule } from "../modules/module.ts";
import type { ModuleContext } from "../modules/module-context.ts";
import type { ResourceKind } from "../modules/usage-pool.ts";
import { replaceStrictly } from "../placeholders/machine-placeholders.ts";
import { type ErrorOwner, runFor } from "../threads/error-owner.ts";
import { type CallSite, callSites } from "./call-site.ts";
import { makeConsoleEncoder } from "./encoders/console.ts";
import { makeJsonEncoder } from "./encoders/json.ts";
import { logTimeMs } from "./log-clock.ts";
import { type LogEntry, type LogLevelName, levelRank, parseLevel } from "./log-entry.ts";
import { type LogEncoder, type LogWriter, logEncoders, logWriters } from "./log-modules.ts";
import { LogOwner } from "./log-owner.ts";
import { takesLogger } from "./logger-names.ts";
import { ownLogger, ProcessLogForwarder, processLogForwarder } from "./process-log-forwarder.ts";
import { compileSampling } from "./sampling.ts";
import { StrayOutput, type StrayTaker, strayOutputs } from "./stray-output.ts";
import { makeStderrWriter } from "./writers/standard-streams.ts";

const level = (error: string) =>
  z.string().refine((text) => /\{.+\}/.test(text) || parseLevel(text) !== undefined, { error });

/** @throws ServerError MODULE_CONFIG for placeholders that do not give a level */
function levelOf(text: string): LogLevelName {
  const found = parseLevel(replaceStrictly(text));
  if (found === undefined) {
    throw new ServerError("MODULE_CONFIG", `unrecognized log level: ${replaceStrictly(text)}`);
  }
  return found;
}

/** Fields for the form and the destination of entries. */
const outputShape = {
  writer: inlineModule("logging.writers", "output").nullish().describe("Where lines go (stderr)."),
  encoder: inlineModule("logging.encoders", "format")
    .nullish()
    .describe("How lines are written (console on a terminal, else json)."),
  core: notYet("lines are written by `writer` and `encoder`, there is no other way"),
  level: level("unrecognized log level")
    .nullish()
    .describe("DEBUG, INFO, WARN, ERROR, PANIC or FATAL: what is below is left out (INFO)."),
  sampling: z
    .strictObject({
      interval: configDuration().nullish().describe("Length of an interval (1s)."),
      first: configCount().nullish().describe("Entries of a kind in it that are all written (100)."),
      thereafter: configCount().nullish().describe("Then only every so many-th (100)."),
    })
    .nullish()
    .describe("Leaves out entries of a kind when there are many."),
  with_caller: z
    .boolean()
    .nullish()
    .describe("Whether entries tell the place in the program that wrote them."),
  with_caller_skip: z.int().min(0).nullish().describe("So many callers of that place are passed over (0)."),
  with_stacktrace: level("unrecognized log level")
    .nullish()
    .describe("Entries of this level and above tell the calls that led to them (none)."),
};

const sinkSchema = z.strictObject(outputShape);

const logSchema = z.strictObject({
  ...outputShape,
  include: z.array(z.string()).nullish().describe("Loggers, with all below them, that are written (all)."),
  exclude: z.array(z.string()).nullish().describe("Loggers, with all below them, that are left out."),
});

type LogConfig = z.infer<typeof logSchema>;

/** Config of the top level `logging`. Source: Caddy 2.11 */
export const loggingSchema = z
  .strictObject({
    sink: sinkSchema
      .nullish()
      .describe(
        "Where goes what no logger makes: warnings of Node, and what modules of one's own print by `console` (standard error and output).",
      ),
    logs: z
      .record(z.string(), logSchema)
      .nullish()
      .describe(
        "Logs by name; `default` stands for one that is always there. Loggers: `http.log.access`, `http.log.error`, `http.log.trace`, and `server` for what the server says of itself.",
      ),
  })
  .nullable();

interface Log {
  /** False for the log `default` of a config that does not contain it. */
  readonly isConfigured: boolean;
  /** True for the log `default`, which accepts every entry unless its config restricts it. */
  readonly isDefault: boolean;
  /** Minimum level of entries. */
  readonly level: LogLevelName;
  /** Number of callers to skip; undefined when callers are not logged. */
  readonly callerSkip: number | undefined;
  /** Rank of the level from which entries have a stack. */
  readonly stackRank: number;
  /** Rank of the minimum level, for fast comparisons. */
  readonly rank: number;
  /** Names of accepted loggers; empty: all. */
  readonly include: readonly string[];
  /** Names of excluded loggers. */
  readonly exclude: readonly string[];
  /** Sampling: returns false for entries to drop; undefined when every entry is written. */
  readonly passes: ((entry: LogEntry) => boolean) | undefined;
  readonly writer: LogWriter;
  readonly encoder: LogEncoder;
  /** Receives errors of writer and encoder. */
  readonly owner: ErrorOwner;
}

export interface NamedLogger {
  /** True when at least one log accepts the level. If no log does, callers need not create the fields. */
  isEnabled(level: LogLevelName): boolean;
  /** Writes an entry to every log that accepts it. */
  log(level: LogLevelName, message: string, fields: LogEntry["fields"]): void;
}

function writeEntry(entry: LogEntry, logs: readonly Log[]): void {
  const rank = levelRank(entry.level);
  let sites: CallSite[] | undefined;
  for (const log of logs) {
    if (rank < log.rank || log.passes?.(entry) === false) {
      continue;
    }
    if (log.callerSkip === undefined && rank < log.stackRank) {
      writeLine(log, entry);
      continue;
    }
    sites ??= callSites(writeEntry);
    const from = sites.slice(log.callerSkip ?? 0);
    const caller = log.callerSkip === undefined ? undefined : from[0]?.place;
    const stack = rank < log.stackRank ? undefined : sites.map(({ text }) => text).join("\n");
    writeLine(log, {
      ...entry,
      ...(caller === undefined ? {} : { caller }),
      ...(stack === undefined ? {} : { stack }),
    });
  }
}

/**
 * Writes an entry. Errors of the writer and the encoder never reach the caller, including later errors in their sockets
 * and promises.
 */
function writeLine({ writer, encoder, owner }: Log, entry: LogEntry): void {
  try {
    runFor(owner, (line) => writer.write(line), encoder.encode(entry));
  } catch (error) {
    owner.fail(error);
  }
}

/** The logs of one config. */
export class LogSet {
  readonly #logs: readonly Log[];
  readonly #byName = new Map<string, NamedLogger>();

  readonly #own: readonly Log[];

  constructor(logs: readonly Log[]) {
    this.#logs = logs;
    this.#own = logs.filter(
      ({ isConfigured, include, exclude }) => isConfigured && takesLogger(ownLogger, include, exclude),
    );
  }

  /** @param name name of the logger, such as `http.log.access.main` */
  logger(name: string): NamedLogger {
    let logger = this.#byName.get(name);
    if (logger === undefined) {
      const logs = this.#logs.filter(({ include, exclude }) => takesLogger(name, include, exclude));
      logger = {
        isEnabled: (level) => logs.some(({ rank }) => levelRank(level) >= rank),
        log: (level, message, fields) =>
          writeEntry({ level, timeMs: logTimeMs(), logger: name, message, fields }, logs),
      };
      this.#byName.set(name, logger);
    }
    return logger;
  }

  /** True when a log of the config accepts lines of the server itself. */
  get takesOwnLines(): boolean {
    return this.#own.length > 0;
  }

  /**
   * True when the config configures the log `default`. The server's own lines that a log accepts are then not written
   * to standard error too.
   */
  get replacesStandardError(): boolean {
    return this.#logs.some(({ isDefault, isConfigured }) => isDefault && isConfigured);
  }

  /** Minimum level of the server's own lines that a log accepts; undefined: no log accepts such lines. */
  get ownLevel(): LogLevelName | undefined {
    return this.#own.toSorted((a, b) => a.rank - b.rank)[0]?.level;
  }

  writeOwn(entry: LogEntry): void {
    writeEntry(entry, this.#own);
  }

  /** Opens all writers, which may fail. @throws ServerError */
  async open(): Promise<void> {
    for (const { writer } of this.#logs) {
      await writer.open?.();
    }
  }

  close(): void {
    this.#byName.clear();
  }
}

/** Loads the destination for output that does not come from a logger. */
async function loadSink(
  config: z.infer<typeof sinkSchema>,
  context: ModuleContext,
): Promise<{ take: StrayTaker; open(): Promise<void> }> {
  try {
    const log = { ...(await loadLog(config, context, "sink")), isConfigured: true, isDefault: false };
    return {
      take: (level, message) =>
        writeEntry({ level, timeMs: logTimeMs(), logger: "", message, fields: {} }, [log]),
      open: async () => log.writer.open?.(),
    };
  } catch (error) {
    throw errorWithin("setting up sink log", error);
  }
}

/**
 * Logs of all active configs. The last element belongs to the config that is being provisioned, because configs are
 * provisioned one at a time.
 */
export const logSets: ResourceKind<LogSet> = { name: "logs" };

async function loadLog(
  config: z.infer<typeof sinkSchema> & Partial<LogConfig>,
  context: ModuleContext,
  path: string,
): Promise<Omit<Log, "isConfigured" | "isDefault">> {
  const writer = config.writer
    ? await context.loadInline(logWriters, "output", config.writer as JsonValue, `${path}/writer`)
    : makeStderrWriter();
  const encoder = config.encoder
    ? await context.loadInline(logEncoders, "format", config.encoder as JsonValue, `${path}/encoder`)
    : writer.isTerminal === true
      ? makeConsoleEncoder({ level_format: "color" })
      : makeJsonEncoder({});
  const sampling = config.sampling ?? undefined;
  const level = config.level ? levelOf(config.level) : "info";
  const stackLevel = config.with_stacktrace ? levelOf(config.with_stacktrace) : undefined;
  return {
    level,
    rank: levelRank(level),
    callerSkip: config.with_caller === true ? (config.with_caller_skip ?? 0) : undefined,
    stackRank: stackLevel === undefined ? Number.POSITIVE_INFINITY : levelRank(stackLevel),
    include: config.include ?? [],
    exclude: config.exclude ?? [],
    passes:
      sampling &&
      compileSampling(sampling.interval || 1000, sampling.first || 100, sampling.thereafter || 100),
    writer,
    encoder,
    owner: new LogOwner(path),
  };
}

let nextKey = 0;

/**
 * The logs of a config. Every config has this app, even without a member `logging`; the app is provisioned before all
 * other apps.
 */
export const loggingApp = defineModule({
  id: "logging.app",
  config: loggingSchema,
  async provision(config, context): Promise<App> {
    const logs: Log[] = [];
    for (const [name, each] of Object.entries({ default: {}, ...config?.logs })) {
      try {
        const isConfigured = Object.hasOwn(config?.logs ?? {}, name);
        const loaded = await loadLog(each, context, `logs/${name}`);
        logs.push({ ...loaded, isConfigured, isDefault: name === "default" });
      } catch (error) {
        throw errorWithin(`setting up custom log '${name}'`, error);
      }
    }
    nextKey++;
    const { value } = await context.acquire(logSets, String(nextKey), () => new LogSet(logs));
    const own = await context.acquire(processLogForwarder, "", () => new ProcessLogForwarder());
    const sink = config?.sink ? await loadSink(config.sink, context) : undefined;
    const stray = await context.acquire(strayOutputs, "", () => new StrayOutput());
    return {
      async start() {
        await value.open();
        await sink?.open();
      },
      activate() {
        own.value.follow(value);
        if (sink === undefined) {
          stray.value.close();
        } else {
          stray.value.follow(sink.take);
        }
      },
      stop: async () => {},
      close() {
        own.value.leave(value);
        if (sink !== undefined) {
          stray.value.leave(sink.take);
        }
      },
    };
  },
});
