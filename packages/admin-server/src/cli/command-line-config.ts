import { StartError } from "lifecycle/errors";
import { canonicalHeader } from "serverfile/values/canonical-header";

/** Nanoseconds in a second, because durations of a config are in nanoseconds. */
const nanoseconds = 1_000_000_000;

/**
 * Limits of servers that commands start; stricter than the defaults of configs. Source: Caddy 2.11
 */
export const httpServerLimits = {
  read_header_timeout: 10 * nanoseconds,
  idle_timeout: 30 * nanoseconds,
  max_header_bytes: 10 * 1024,
} as const;

/**
 * A complete configuration built from options: without an admin endpoint, and never saved.
 * @param apps member `apps` of the config; @param debug true: the default log has the level DEBUG
 */
export function commandLineConfig(apps: object, debug: boolean) {
  return {
    admin: { disabled: true, config: { persist: false } },
    ...(debug ? { logging: { logs: { default: { level: "DEBUG" } } } } : {}),
    apps,
  };
}

/** Parses `Field: value` of the command line. @param option name for the error. @throws StartError */
export function headersFrom(option: string, lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
    if (name === "" || value === "") {
      throw new StartError(`--${option}: expected "Field: value", not "${line}"`);
    }
    headers[canonicalHeader(name)] = [value];
  }
  return headers;
}
