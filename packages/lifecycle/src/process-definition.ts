import type { Registry } from "@prometheus-io/client";
import type { z } from "zod";
import type { Health } from "./health.ts";
import type { Logger } from "./logger.ts";

/** The objects that a process gets from its shell. */
export interface ProcessContext<Options> {
  /**
   * Parsed and checked options. Their keys are the flag names without dashes, e.g.
   * `options["collector.grpc-server.host-port"]`.
   */
  readonly options: Options;
  /** The log of the process, with the level from its options. */
  readonly log: Logger;
  /** Served at `/metrics` of the admin port. */
  readonly metrics: Registry;
  /** Served at `/` of the admin port; a process is "not available" until `start` resolves. */
  readonly health: Health;
  /** Aborted when the process must stop, even while it starts. */
  readonly signal: AbortSignal;
}

/** A started process. */
export interface RunningProcess {
  /**
   * Stops in order: refuses new work, finishes running work, closes. The shell waits at most
   * `shutdown-timeout`, and then exits with code 3. @param signal aborted at that deadline.
   */
  stop(signal: AbortSignal): Promise<void>;
  /** Rejects when the process cannot continue; the shell then stops it and exits with code 1. */
  readonly failed?: Promise<never>;
}

/** A further command of a program, such as `export`. */
export interface ProcessCommand {
  /** Name of the command, such as `export`. It must differ from the shell's own commands. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly meaning: string;
  /**
   * @param args arguments after the command
   * @returns the exit code. @throws StartError, whose text is printed; the exit code is then 1
   */
  run(args: readonly string[]): Promise<number>;
}

/** Describes a process. `runProcess` makes a program from this description. */
export interface ProcessDefinition<Shape extends z.ZodRawShape> {
  /** The name in `ps`, logs and metrics: `tracing-collector`. */
  readonly name: string;
  /** One or two sentences for `--help`. */
  readonly description: string;
  /**
   * One field per option; the key is the flag without dashes. Every field has a `.describe()` and a `.default()`.
   * Flag beats environment (`COLLECTOR_GRPC_SERVER_HOST_PORT`) beats `--config-file` beats default.
   */
  readonly options: z.ZodObject<Shape>;
  /**
   * Alternative spellings of options: a prefix, and the prefix that it replaces. Example: the public model's
   * `processor.jaeger-compact` for `processor.tracing-compact`.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Commands in addition to those of the shell; none by default. */
  readonly commands?: readonly ProcessCommand[];
  /** Default address of health and metrics: `:14269`. */
  readonly adminHostPort: string;
  /**
   * Opens everything that the process needs. @throws StartError for a fault that the user can repair; the exit code is
   * then 1
   */
  start(context: ProcessContext<z.infer<z.ZodObject<Shape>>>): Promise<RunningProcess>;
}
