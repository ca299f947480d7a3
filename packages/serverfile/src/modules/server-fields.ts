import type { TokenCursor } from "../lexer/token-cursor.ts";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  paced,
  type Row,
  row,
  setFalse,
  size,
  texts,
  wordsFor,
  wordsOf,
} from "../values/block-fields.ts";
import { type Draft, listOf } from "../values/draft.ts";

/** A duration with an error message that names the line. */
function time(path: string, what: string): Row {
  return duration(path, `parsing ${what} duration`);
}

/** A line with an idle timeout and the minimum rate in bytes per second: `read_body_idle 10s 500`. */
function idleTime(which: "read" | "write", line: string): Row {
  const faults = [`parsing ${line} timeout duration`, `parsing ${line} min_rate bytes/second`] as const;
  return paced(`${which}_idle_timeout`, which, faults);
}

/** The lines of `timeouts`. */
export const timeoutFields: FieldReaders = {
  read_body: time("read_timeout", "read_body timeout"),
  read_body_idle: idleTime("read", "read_body_idle"),
  read_header: time("read_header_timeout", "read_header timeout"),
  write: time("write_timeout", "write timeout"),
  write_idle: idleTime("write", "write_idle"),
  write_max_chunk: size("max_write_chunk", "parsing write_max_chunk"),
  idle: time("idle_timeout", "idle timeout"),
};

/** Words that must not be repeated. */
function distinct(path: string, fault: (word: string) => string, known?: readonly string[]): Row {
  const read: FieldReader = (cursor, draft) => {
    for (const word of cursor.remainingArguments()) {
      if (known !== undefined && !known.includes(word)) {
        throw cursor.error(`unknown protocol '${word}': expected h1, h2, h2c, or h3`);
      }
      const list = listOf(draft, path);
      if (list.includes(word)) {
        throw cursor.error(fault(word));
      }
      list.push(word);
    }
    if (cursor.nextInBlock(cursor.nesting)) {
      throw cursor.argumentError();
    }
  };
  return row(path, read, wordsOf.texts);
}

/** `strict_sni_host [on | insecure_off]`. */
function strictSniHost(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.nextArgument() ? cursor.value : "on";
  if (word !== "on" && word !== "insecure_off") {
    throw cursor.error(`strict_sni_host only supports 'on' or 'insecure_off', got '${word}'`);
  }
  draft.strict_sni_host = word === "on";
}

/** `0rtt off`; without this line, 0-RTT is enabled. */
function zeroRtt(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.argument();
  if (word !== "off") {
    throw cursor.error(`unsupported 0rtt argument '${word}' (only 'off' is supported)`);
  }
  setFalse(draft, "allow_0rtt");
}

/** `trusted_proxies_strict`: the JSON value is the number 1, as in Caddy. */
function strictProxies(cursor: TokenCursor, draft: Draft): void {
  cursor.noMoreArguments();
  draft.trusted_proxies_strict = 1;
}

/** Lines of `servers`, each of which sets one field of a server. */
export const serverFields: FieldReaders = {
  keepalive_interval: time("keepalive_interval", "keepalive interval"),
  keepalive_idle: time("keepalive_idle", "keepalive idle"),
  keepalive_count: integer("keepalive_count", "parsing keepalive count int", 32),
  max_header_size: size("max_header_bytes", "parsing max_header_size"),
  enable_full_duplex: flag("enable_full_duplex"),
  expected_underscore_headers: texts("expected_underscore_headers"),
  expected_dot_headers: texts("expected_dot_headers"),
  protocols: distinct("protocols", (word) => `protocol ${word} specified more than once`, [
    "h1",
    "h2",
    "h2c",
    "h3",
  ]),
  strict_sni_host: row("strict_sni_host", strictSniHost, (members, key) =>
    members.boolean(key) === true ? [] : ["insecure_off"],
  ),
  trusted_proxies_strict: row("trusted_proxies_strict", strictProxies, (members, key) =>
    members.number(key) === 1 ? [] : undefined,
  ),
  trusted_proxies_unix: flag("trusted_proxies_unix"),
  client_ip_headers: distinct(
    "client_ip_headers",
    (word) => `client IP header ${word} specified more than once`,
  ),
  "0rtt": row("allow_0rtt", zeroRtt, wordsFor(false, "off")),
};

/** Lines of `servers` for access logs. */
export const serverLogFields = {
  log_credentials: flag("should_log_credentials"),
  trace: flag("trace"),
};
