import type { ModuleInstance, ModuleNamespace } from "../modules/module.ts";
import type { LogEntry, LogValue } from "./log-entry.ts";

/** Encodes an entry as a line. */
export interface LogEncoder extends ModuleInstance {
  /** @returns the line with its line ending */
  encode(entry: LogEntry): string;
}

/** Changes the value of one field. */
export interface LogFilter extends ModuleInstance {
  /** @returns undefined to remove the field */
  filter(value: LogValue): LogValue | undefined;
  /** New name of the field. */
  readonly rename?: string;
}

/** Writes lines to their destination. */
export interface LogWriter extends ModuleInstance {
  /** Writes a line without waiting. A writer never throws: lines that it cannot accept are dropped and counted. */
  write(line: string): void;
  /** True when people read the lines directly. */
  readonly isTerminal?: boolean;
  /** Opens the destination before the first line. Called once, when the config starts. @throws ServerError */
  open?(): Promise<void>;
}

export const logEncoders: ModuleNamespace<LogEncoder> = { prefix: "logging.encoders" };
export const logFilters: ModuleNamespace<LogFilter> = { prefix: "logging.encoders.filter" };
export const logWriters: ModuleNamespace<LogWriter> = { prefix: "logging.writers" };
