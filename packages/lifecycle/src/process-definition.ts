import type { Registry } from "@prometheus-io/client";
import type { z } from "zod";
import type { Health } from "./health.ts";
import type { Logger } from "./logger.ts";

/** The objects that `runProcess` gives to a process. */
export interface ProcessContext<Options> {
  /**
   * Parsed and checked options. The keys are flag names without dashes, such as
   * `options["collector.grpc-server.host-port"]`.
   */
  readonly options: Options;
  /** The log of the process, with the level in the options. */
  readonly log: Logger;
  /** Metrics of the process, which the admin port serves, by default at `/metrics`. */
  readonly metrics: Registry;
  /** Health, which `/` of the admin port returns; a process is "not available" until `start` resolves. */
  readonly health: Health;
  /** Aborted when the process must stop, even if it is still starting. */
  readonly signal: AbortSignal;
}

/** A started process. */
export interface RunningProcess {
  /**
   * Stops in order: refuses new work, finishes running work, closes. After `shutdown-timeout`, the process exits with
   * code 3. @param signal aborted at that time.
   */
  stop(signal: AbortSignal): Promise<void>;
  /** Rejects when the process cannot continue; it is then stopped, and exits with code 1. */
  readonly failed?: Promise<never>;
}

/** A command of a program in addition to the common commands, such as `export`. */
export interface ProcessCommand {
  /** Name of the command, such as `export`. It must differ from the common commands. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly meaning: string;
  /** Operands for the usage line of `--help`, such as `FILE`. Absent: the command takes options only. */
  readonly operands?: string;
  /** Options of the command, for `--help`. The command itself parses them. */
  readonly options: z.ZodObject;
  /**
   * @param args arguments after the command
   * @returns the exit code. @throws StartError, whose message is printed, with exit code 1
   */
  run(args: readonly string[]): Promise<number>;
}

/** Description of a process. `runProcess` makes a program from it. */
export interface ProcessDefinition<Shape extends z.ZodRawShape> {
  /** The name in `ps`, logs and metrics: `tracing-collector`. */
  readonly name: string;
  /** One or two sentences for `--help`. */
  readonly description: string;
  /**
   * One field per option; the key is the flag without dashes. Every field has a `.describe()` and a default.
   * Flag beats environment (`COLLECTOR_GRPC_SERVER_HOST_PORT`) beats `--config-file` beats default.
   */
  readonly options: z.ZodObject<Shape>;
  /**
   * Alternative spellings of options: a prefix, and the prefix that it stands for. Example: Jaeger's
   * `processor.jaeger-compact` for `processor.tracing-compact`.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Commands in addition to the common commands; default: no commands. */
  readonly commands?: readonly ProcessCommand[];
  /** Default address of the admin port, such as `:14269`. */
  readonly adminHostPort: string;
  /**
   * Opens all parts of the process. @throws StartError for a fault that the user can repair; the exit code is then 1
   */
  start(context: ProcessContext<z.infer<z.ZodObject<Shape>>>): Promise<RunningProcess>;
}
