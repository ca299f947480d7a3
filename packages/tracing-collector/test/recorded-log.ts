import type { Logger } from "lifecycle";

/** A log for tests that keeps what is written to it. */
export interface RecordedLog extends Logger {
  /** @param level of one level only */
  messages(level?: string): string[];
}

export function recordedLog(): RecordedLog {
  const lines: { readonly level: string; readonly message: string }[] = [];
  const write =
    (level: string) =>
    (...args: unknown[]) => {
      lines.push({ level, message: String(args.find((arg) => typeof arg === "string") ?? "") });
    };
  const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
  const log = Object.fromEntries(levels.map((level) => [level, write(level)]));
  return Object.assign(log, {
    messages: (level?: string) =>
      lines.filter((line) => level === undefined || line.level === level).map(({ message }) => message),
  }) as unknown as RecordedLog;
}
