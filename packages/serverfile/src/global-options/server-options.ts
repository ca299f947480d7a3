import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import type { ServerOptions } from "../sites/global-options.ts";
import {
  type FieldReader,
  flag,
  integer,
  parsed,
  readFields,
  setFalse,
  size,
  texts,
} from "../values/block-fields.ts";
import { type Draft, listOf, setAt } from "../values/draft.ts";
import { parseDuration } from "../values/parse-duration.ts";
import { parseInteger } from "../values/parse-number.ts";

function time(path: string, what: string): FieldReader {
  return (cursor, draft) =>
    setAt(draft, path, parsed(cursor, cursor.argument(), parseDuration, `parsing ${what} duration`));
}

/** A time, and the bytes a second that a slow peer must reach at least. */
function idleTime(name: "read" | "write", line: string): FieldReader {
  return (cursor, draft) => {
    const [word, rate, ...more] = cursor.remainingArguments();
    if (word === undefined || more.length > 0) {
      throw cursor.argumentError();
    }
    const idle = parsed(cursor, word, parseDuration, `parsing ${line} timeout duration`);
    setAt(draft, `${name}_idle_timeout`, idle);
    if (rate !== undefined) {
      const bytes = parsed(cursor, rate, parseInteger, `parsing ${line} min_rate bytes/second`);
      setAt(draft, `${name}_min_rate`, bytes);
    }
  };
}

const timeoutFields: Readonly<Record<string, FieldReader>> = {
  read_body: time("read_timeout", "read_body timeout"),
  read_body_idle: idleTime("read", "read_body_idle"),
  read_header: time("read_header_timeout", "read_header timeout"),
  write: time("write_timeout", "write timeout"),
  write_idle: idleTime("write", "write_idle"),
  write_max_chunk: size("max_write_chunk", "parsing write_max_chunk"),
  idle: time("idle_timeout", "idle timeout"),
};

/** Words that may each stand once. */
function distinct(path: string, fault: (word: string) => string, known?: readonly string[]): FieldReader {
  return (cursor, draft) => {
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
}

function wrappers(path: string, namespace: string, readModule: ReadModule): FieldReader {
  return (cursor, draft) => {
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      const wrapper = readModule(cursor, namespace, "wrapper");
      listOf(draft, path).push(wrapper);
    }
  };
}

function strictSniHost(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.nextArgument() ? cursor.value : "on";
  if (word !== "on" && word !== "insecure_off") {
    throw cursor.error(`strict_sni_host only supports 'on' or 'insecure_off', got '${word}'`);
  }
  draft.strict_sni_host = word === "on";
}

function zeroRtt(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.argument();
  if (word !== "off") {
    throw cursor.error(`unsupported 0rtt argument '${word}' (only 'off' is supported)`);
  }
  setFalse(draft, "allow_0rtt");
}

/** `servers [address] { … }`. @throws ServerError CONFIG_ADAPTER */
export function readServerOptions(cursor: TokenCursor, readModule: ReadModule): ServerOptions {
  cursor.next();
  const address = cursor.nextArgument() ? cursor.value : "";
  cursor.noMoreArguments();
  const options: ServerOptions = { address, name: "", draft: {}, logs: {}, metricsPerHost: undefined };
  const { logs } = options;
  const fields: Readonly<Record<string, FieldReader>> = {
    name: (line) => {
      if (address === "") {
        throw line.error("cannot set a name for a server without a listener address");
      }
      options.name = line.argument();
    },
    listener_wrappers: wrappers("listener_wrappers", "listeners", readModule),
    packet_conn_wrappers: wrappers("packet_conn_wrappers", "packetconns", readModule),
    timeouts: (line, draft) =>
      readFields(line, draft, timeoutFields, (word) => `unrecognized timeouts option '${word}'`),
    keepalive_interval: time("keepalive_interval", "keepalive interval"),
    keepalive_idle: time("keepalive_idle", "keepalive idle"),
    keepalive_count: integer("keepalive_count", "parsing keepalive count int", 32),
    max_header_size: size("max_header_bytes", "parsing max_header_size"),
    enable_full_duplex: flag("enable_full_duplex"),
    expected_underscore_headers: texts("expected_underscore_headers"),
    expected_dot_headers: texts("expected_dot_headers"),
    log_credentials: (line) => flag("should_log_credentials")(line, logs),
    protocols: distinct("protocols", (word) => `protocol ${word} specified more than once`, [
      "h1",
      "h2",
      "h2c",
      "h3",
    ]),
    strict_sni_host: strictSniHost,
    trusted_proxies: (line, draft) => {
      if (!line.nextArgument()) {
        throw line.error("trusted_proxies expects an IP range source module name as its first argument");
      }
      draft.trusted_proxies = readModule(line, "http.ip_sources", "source");
    },
    trusted_proxies_strict: (line, draft) => {
      line.noMoreArguments();
      draft.trusted_proxies_strict = 1;
    },
    trusted_proxies_unix: flag("trusted_proxies_unix"),
    client_ip_headers: distinct(
      "client_ip_headers",
      (word) => `client IP header ${word} specified more than once`,
    ),
    metrics: (line) => {
      options.metricsPerHost = false;
      const perHost: FieldReader = () => {
        options.metricsPerHost = true;
      };
      readFields(line, {}, { per_host: perHost }, (word) => `unrecognized metrics option '${word}'`);
    },
    trace: (line) => flag("trace")(line, logs),
    "0rtt": zeroRtt,
  };
  readFields(cursor, options.draft, fields, (word) => `unrecognized servers option '${word}'`);
  return options;
}
