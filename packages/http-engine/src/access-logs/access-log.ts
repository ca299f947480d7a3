import { type LogLevelName, type LogValue, parseLevel } from "server-core/logging/log-entry";
import type { LogSet, NamedLogger } from "server-core/logging/logging";
import type { Exchange } from "../exchange.ts";
import { extraLogFields } from "../extra-fields.ts";
import { readPlaceholder } from "../placeholders.ts";
import type { AccessLogConfig } from "./access-config.ts";
import { loggedHeaders, loggedRequest } from "./logged-request.ts";

const loggerPrefix = "http.log.access";
const errorPrefix = "http.log.error";

/** Patterns that match a host, most specific first: `a.b.c`, `*.b.c`, `*.*.c`, `*.*.*`. */
function* hostPatterns(host: string): Generator<string> {
  yield host;
  const labels = host.split(".");
  for (const [index] of labels.entries()) {
    labels[index] = "*";
    yield labels.join(".");
  }
}

/** Names of loggers that requests for a host go to; undefined when they are not logged. */
function compileNames(config: AccessLogConfig): (host: string) => readonly string[] | undefined {
  const byHost = new Map(
    // Two sites with the same host may name the same logger.
    Object.entries(config.logger_names ?? {}).map(([host, names]) => [
      host.toLowerCase(),
      [...new Set(names)],
    ]),
  );
  const skipped = new Set((config.skip_hosts ?? []).map((host) => host.toLowerCase()));
  const fallback = config.skip_unmapped_hosts === true ? undefined : [config.default_logger_name ?? ""];
  if (byHost.size === 0 && skipped.size === 0) {
    return () => fallback;
  }
  return (host) => {
    for (const pattern of hostPatterns(host)) {
      // If two sites share a host and only one site is logged, all requests of the host are logged.
      const names = byHost.get(pattern);
      if (names !== undefined) {
        return names;
      }
      if (skipped.has(pattern)) {
        return undefined;
      }
    }
    return fallback;
  };
}

/** Names that a handler `vars` chose for this request. */
function chosenNames(exchange: Exchange): readonly string[] | undefined {
  const names = exchange.vars.get("access_logger_names");
  return Array.isArray(names) ? names.map(String) : undefined;
}

function levelOf(exchange: Exchange, status: number): LogLevelName {
  const chosen = exchange.vars.get("log_level");
  const level = typeof chosen === "string" ? parseLevel(chosen) : undefined;
  return level ?? (status >= 500 ? "error" : "info");
}

function round(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9;
}

/** The failure of a request. */
export interface LoggedFailure {
  /** Status of the response to the failed request. */
  readonly status: number;
  /** Reason of the failure, for the field `msg` of the entry. */
  readonly message: string;
  /** `{http.error.id}`. */
  readonly id: string;
}

/**
 * Prepares the error log of a server. Call the result once for each failed request, and with `second` if its error
 * routes failed too. Faults of clients, and errors that error routes handle, have the level debug.
 * @param config the server's access log, whose logger names are used too; undefined without an access log
 * Source: Caddy 2.11
 */
export function compileErrorLog(
  config: AccessLogConfig | null | undefined,
  logs: LogSet,
): (exchange: Exchange, failure: LoggedFailure, isHandled: boolean, second?: LoggedFailure) => void {
  const namesFor = compileNames({ ...config, skip_hosts: [], skip_unmapped_hosts: false });
  const withCredentials = config?.should_log_credentials === true;
  return (exchange, { status, message, id }, isHandled, second) => {
    const isError = second !== undefined || (status >= 500 && !isHandled);
    const level = isError ? "error" : "debug";
    for (const name of chosenNames(exchange) ?? namesFor(exchange.host) ?? []) {
      const logger = logs.logger(name === "" ? errorPrefix : `${errorPrefix}.${name}`);
      if (logger.isEnabled(level)) {
        const about = {
          request: loggedRequest(exchange, withCredentials),
          duration: round((performance.now() - exchange.startedAt) / 1000),
        };
        if (second === undefined) {
          logger.log(level, message, { ...about, status, err_id: id });
        } else {
          const error = { error: second.message, first_error: { msg: message, status, err_id: id } };
          logger.log(level, "error handling handler error", { ...about, ...error });
        }
      }
    }
  };
}

/** Prepares the log of the handlers that requests pass through. Source: Caddy 2.11 */
export function compileHandlerLog(logs: LogSet): (handler: string) => void {
  const logger = logs.logger("http.log.trace");
  return (handler) => {
    if (logger.isEnabled("debug")) {
      logger.log("debug", `http.handlers.${handler}`, {});
    }
  };
}

/**
 * Prepares the access log of a server; call the result once for each request, at its end. Source of the field names:
 * Caddy 2.11
 */
export function compileAccessLog(config: AccessLogConfig, logs: LogSet): (exchange: Exchange) => void {
  const namesFor = compileNames(config);
  const withCredentials = config.should_log_credentials === true;

  function fieldsOf(exchange: Exchange, status: number): Record<string, LogValue> {
    const fields: Record<string, LogValue> = {
      request: loggedRequest(exchange, withCredentials),
      bytes_read: exchange.stream.bodyBytesRead + exchange.tunnelBytesRead,
      user_id: readPlaceholder(exchange, "http.auth.user.id") ?? "",
      duration: round((performance.now() - exchange.startedAt) / 1000),
      size: exchange.bytesSent,
      status,
      resp_headers: loggedHeaders(exchange.responseHeaders, withCredentials),
    };
    for (const [name, value] of extraLogFields(exchange)) {
      fields[name] = value;
    }
    return fields;
  }

  return (exchange) => {
    if (exchange.vars.get("log_skip") !== undefined) {
      return;
    }
    const names = chosenNames(exchange) ?? namesFor(exchange.host);
    if (names === undefined) {
      return;
    }
    // When no handler responded, Caddy writes a different message. It logs the status 0, unless a filter created a
    // response.
    const isUnhandled = exchange.vars.get("unhandled") === true;
    const status = isUnhandled && !exchange.filtered ? 0 : exchange.status;
    const level = levelOf(exchange, status);
    const loggers: NamedLogger[] = names
      .map((name) => logs.logger(name === "" ? loggerPrefix : `${loggerPrefix}.${name}`))
      .filter((logger) => logger.isEnabled(level));
    if (loggers.length > 0) {
      const fields = fieldsOf(exchange, status);
      for (const logger of loggers) {
        logger.log(level, isUnhandled ? "NOP" : "handled request", fields);
      }
    }
  };
}
