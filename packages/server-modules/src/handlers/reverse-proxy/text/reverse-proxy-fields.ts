import { messageOf } from "server-core/errors";
import { splitHostPort } from "server-core/go/host-port";
import type { FileState } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import { readMatcherSet } from "serverfile/matchers/matcher-set";
import { parseStatus, statusWord } from "serverfile/matchers/response-matcher";
import type { ReadModule } from "serverfile/modules/module-reader";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  once,
  parsed,
  type Row,
  row,
  text,
  wordsFor,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft, isEmptyDraft, listOf, setAt } from "serverfile/values/draft";
import { parseDuration } from "serverfile/values/parse-duration";
import { parseInteger } from "serverfile/values/parse-number";
import { parseSize } from "serverfile/values/parse-size";
import { rangeWords, withPrivateRanges } from "serverfile/values/private-ranges";
import { durationWord, sizeWord } from "serverfile/values/value-words";
import { applyHeaderOperation } from "../../headers/header-operation.ts";
import { ResponseHandlers, type RoutesReader } from "../../intercept/response-handlers.ts";
import { parseUpstream } from "./upstream-address.ts";

/** Paths of the members for active checks, and for passive checks below. */
const active = "health_checks.active";
const passive = "health_checks.passive";

/** A duration. A number without a unit is in nanoseconds; -1 means "immediately" or "never", depending on the field. */
function durationOrNumber(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.argument();
    const value = /^[+-]?\d+$/.test(word)
      ? parseInteger(word)
      : parsed(cursor, word, parseDuration, "bad duration value '%s'");
    setAt(draft, path, value);
  };
  return row(path, read, (members, key) => {
    const time = members.number(key) ?? 0;
    return [time < 0 ? `${time}` : durationWord(time)];
  });
}

/** Reads a size, or the word `unlimited`, which becomes -1. */
function buffer(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.argument();
    const bytes = word === "unlimited" ? -1 : parsed(cursor, word, parseSize, "invalid byte size '%s'");
    cursor.noMoreArguments();
    setAt(draft, path, bytes);
  };
  return row(path, read, (members, key) => {
    const bytes = members.number(key) ?? 0;
    return [bytes === -1 ? "unlimited" : sizeWord(bytes)];
  });
}

/** A line with exactly one word. */
function lastText(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    setAt(draft, path, cursor.argument());
    cursor.noMoreArguments();
  };
  return row(path, read, wordsOf.text, "");
}

/** `header_up` and `header_down`: the operations of `header`, except `?`. */
function headerOperation(where: "request" | "response"): FieldReader {
  return (cursor, draft) => {
    const target = childOf(childOf(draft, "headers"), where);
    const [field, value = "", replacement, ...more] = cursor.someArguments();
    if (field === undefined || more.length > 0) {
      throw cursor.argumentError();
    }
    applyHeaderOperation(cursor, { draft: target, isResponse: false }, { field, value, replacement });
  };
}

/** `health_upstream host:port`. The port must be a number. */
const healthUpstream: FieldReader = (cursor, draft) => {
  const word = cursor.argument();
  const { port } = parsed(cursor, word, splitHostPort, "health_upstream is malformed '%s'");
  parsed(cursor, port, parseInteger, `bad port number '${word}'`);
  setAt(draft, `${active}.upstream`, word);
};

/** `health_port 8081`: an error after `health_upstream`, which already has a port. */
const healthPort: FieldReader = (cursor, draft) => {
  const word = cursor.argument();
  setAt(draft, `${active}.port`, 0);
  if (childOf(childOf(draft, "health_checks"), "active").upstream !== undefined) {
    throw cursor.error("the 'health_port' subdirective is ignored if 'health_upstream' is used!");
  }
  setAt(draft, `${active}.port`, parsed(cursor, word, parseInteger, "bad port number '%s'"));
};

/** `health_status 2xx` becomes 2, `health_status 204` becomes 204. */
const healthStatus: FieldReader = (cursor, draft) => {
  const word = cursor.argument();
  setAt(draft, `${active}.expect_status`, parsed(cursor, word, parseStatus, "bad status value '%s'"));
};

/** `unhealthy_status 5xx 429`: words of all lines add up. */
const unhealthyStatus: FieldReader = (cursor, draft) => {
  const words = cursor.someArguments();
  const checks = childOf(childOf(draft, "health_checks"), "passive");
  for (const word of words) {
    listOf(checks, "unhealthy_status").push(parsed(cursor, word, parseStatus, "bad status value '%s'"));
  }
};

/** `trusted_proxies private_ranges 192.0.2.0/24`. */
const trustedProxies: FieldReader = (cursor, draft) => {
  while (cursor.nextArgument()) {
    listOf(draft, "trusted_proxies").push(...withPrivateRanges(cursor.value));
  }
};

/** `verbose_logs`, which takes no words. */
const setVerbose: FieldReader = (_cursor, draft) => {
  draft.verbose_logs = true;
};

/** Lines that each set one field of the proxy. */
export const proxyFields: FieldReaders = {
  lb_retries: integer("load_balancing.retries", "bad lb_retries number '%s'"),
  lb_try_duration: duration("load_balancing.try_duration", "bad duration value %s"),
  lb_try_interval: duration("load_balancing.try_interval", "bad interval value '%s'"),
  health_uri: text(`${active}.uri`),
  health_path: text(`${active}.path`),
  health_upstream: row(`${active}.upstream`, healthUpstream, wordsOf.text),
  health_port: row(`${active}.port`, healthPort, wordsOf.number),
  health_headers: (cursor, draft) => {
    const headers: Draft = {};
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      const key = cursor.value;
      const values = cursor.remainingArguments();
      listOf(headers, key).push(...(values.length === 0 ? [""] : values));
    }
    const checks = childOf(childOf(draft, "health_checks"), "active");
    if (isEmptyDraft(headers)) {
      delete checks.headers; // the last block replaces earlier blocks, as in Caddy
    } else {
      checks.headers = headers;
    }
  },
  health_method: text(`${active}.method`),
  health_request_body: text(`${active}.body`),
  health_interval: duration(`${active}.interval`, "bad interval value %s"),
  health_timeout: duration(`${active}.timeout`, "bad timeout value %s"),
  health_status: row(`${active}.expect_status`, healthStatus, (members, key) => [
    statusWord(members.take(key) ?? 0),
  ]),
  health_body: text(`${active}.expect_body`),
  health_follow_redirects: flag(`${active}.follow_redirects`),
  health_passes: integer(`${active}.passes`, "invalid passes count '%s'"),
  health_fails: integer(`${active}.fails`, "invalid fails count '%s'"),
  max_fails: integer(`${passive}.max_fails`, "invalid maximum fail count '%s'"),
  fail_duration: duration(`${passive}.fail_duration`, "bad duration value '%s'"),
  unhealthy_request_count: integer(
    `${passive}.unhealthy_request_count`,
    "invalid maximum connection count '%s'",
  ),
  unhealthy_status: row(`${passive}.unhealthy_status`, unhealthyStatus, (members, key) =>
    members.list(key)?.map(statusWord),
  ),
  unhealthy_latency: duration(`${passive}.unhealthy_latency`, "bad duration value '%s'"),
  flush_interval: durationOrNumber("flush_interval"),
  request_buffers: buffer("request_buffers"),
  response_buffers: buffer("response_buffers"),
  stream_buffer_size: buffer("stream_buffer_size"),
  proxy_status_name: lastText("proxy_status_name"),
  stream_timeout: durationOrNumber("stream_timeout"),
  stream_close_delay: durationOrNumber("stream_close_delay"),
  trusted_proxies: row("trusted_proxies", trustedProxies, (members, key) =>
    rangeWords(members.texts(key) ?? []),
  ),
  header_up: headerOperation("request"),
  header_down: headerOperation("response"),
  method: lastText("rewrite.method"),
  rewrite: lastText("rewrite.uri"),
  verbose_logs: once(row("verbose_logs", setVerbose, wordsFor(true)), "verbose_logs already specified"),
};

/** Maximum number of upstreams in one text: each port of a range is an upstream. */
export const maxUpstreams = 200_000;

/**
 * Reads the lines that name modules or upstreams.
 * | Scheme of the upstreams | Transport |
 * |---|---|
 * | none, or `http://` | the block decides; `http://` together with `tls` is an error |
 * | `https://` | HTTP with `tls` |
 * | `h2c://` | HTTP with the versions `h2c` and `2` |
 * All upstreams of a proxy must have the same scheme.
 */
class ProxyReader {
  readonly #draft: Draft;
  readonly #readModule: ReadModule;
  readonly #count: Pick<FileState, "upstreamCount">;
  /** Scheme of all upstreams; "" when they have no scheme. */
  #scheme = "";
  /** The transport of the block, kept until the end of the block, when the scheme is known. */
  #transport: { readonly name: string; readonly draft: Draft } | undefined;

  constructor(draft: Draft, readModule: ReadModule, count: Pick<FileState, "upstreamCount">) {
    this.#draft = draft;
    this.#readModule = readModule;
    this.#count = count;
  }

  /** Adds the upstreams of a line. */
  upstreams(cursor: TokenCursor, words: readonly string[]): void {
    for (const word of words) {
      this.#upstream(cursor, word);
    }
  }

  /** Adds one address; a port range adds several. @throws ServerError CONFIG_ADAPTER */
  #upstream(cursor: TokenCursor, word: string): void {
    const fault = (message: string) => cursor.error(`parsing upstream '${word}': ${message}`);
    let upstream: ReturnType<typeof parseUpstream>;
    try {
      upstream = parseUpstream(word);
    } catch (error) {
      throw fault(messageOf(error));
    }
    const { scheme, dials } = upstream;
    if (scheme === "ws" || scheme === "wss") {
      const instead = scheme === "ws" ? "http" : "https";
      throw fault(`the scheme ${scheme}:// is only supported in browsers; use ${instead}:// instead`);
    }
    if (!["", "http", "https", "h2c"].includes(scheme)) {
      throw fault(`unsupported URL scheme ${scheme}://`);
    }
    if (this.#scheme !== "" && scheme !== this.#scheme) {
      throw fault(
        `for now, all proxy upstreams must use the same scheme (transport protocol); expecting '${this.#scheme}://' but got '${scheme}://'`,
      );
    }
    this.#scheme = scheme;
    this.#count.upstreamCount += dials.length;
    if (this.#count.upstreamCount > maxUpstreams) {
      throw cursor.error(`more upstreams than the limit of ${maxUpstreams}`);
    }
    const list = listOf(this.#draft, "upstreams");
    for (const dial of dials) {
      list.push({ dial });
    }
  }

  /** Lines with parts that other modules read. */
  readonly fields: Readonly<Record<string, FieldReader>> = {
    to: (cursor) => this.upstreams(cursor, cursor.someArguments()),
    dynamic: (cursor, draft) => {
      cursor.argument();
      draft.dynamic_upstreams = this.#readModule(cursor, "http.reverse_proxy.upstreams", "source");
    },
    lb_policy: (cursor, draft) => {
      cursor.argument();
      const balancing = childOf(draft, "load_balancing");
      if (balancing.selection_policy !== undefined) {
        throw cursor.error("load balancing selection policy already specified");
      }
      const namespace = "http.reverse_proxy.selection_policies";
      balancing.selection_policy = this.#readModule(cursor, namespace, "policy");
    },
    lb_retry_match: (cursor, draft) => {
      const matchers = readMatcherSet(cursor, this.#readModule);
      listOf(childOf(draft, "load_balancing"), "retry_match").push(matchers);
    },
    transport: (cursor, draft) => {
      const name = cursor.argument();
      // As in Caddy, a second `transport` replaces the first. If the directive itself created the first, it
      // is an error.
      if (draft.transport !== undefined) {
        throw cursor.error("transport already specified");
      }
      const transport = this.#readModule(cursor, "http.reverse_proxy.transport");
      this.#transport = { name, draft: transport };
    },
  };

  /** Adapts the transport to the scheme of the upstreams. */
  finishTransport(cursor: TokenCursor): void {
    if ((this.#scheme === "https" || this.#scheme === "h2c") && this.#transport === undefined) {
      this.#transport = { name: "http", draft: {} };
    }
    if (this.#transport === undefined) {
      return;
    }
    const { name, draft } = this.#transport;
    if (name === "http") {
      if (this.#scheme === "https") {
        childOf(draft, "tls");
      }
      if (this.#scheme === "http" && draft.tls !== undefined) {
        throw cursor.error(
          "upstream address scheme is HTTP but transport is configured for HTTP+TLS (HTTPS)",
        );
      }
      if (this.#scheme === "h2c") {
        draft.versions = ["h2c", "2"];
      }
    } else if (this.#scheme === "https") {
      throw cursor.error(
        `upstreams are configured for HTTPS but transport module does not support TLS: ${name}`,
      );
    }
    if (name !== "http" || !isEmptyDraft(draft)) {
      this.#draft.transport = { ...draft, protocol: name };
    }
  }
}

/**
 * Reads the arguments and the block of `reverse_proxy`, or of a directive based on it.
 * @param cursor on the directive's name
 * @param draft config of the handler; may already have members
 * @param context reads modules, and counts the upstreams of the whole file
 * @throws ServerError CONFIG_ADAPTER
 */
export function readReverseProxy(
  cursor: TokenCursor,
  draft: Draft,
  {
    readModule,
    state,
  }: { readonly readModule: ReadModule; readonly state: Pick<FileState, "upstreamCount"> },
  readRoutes: RoutesReader,
): void {
  const proxy = new ProxyReader(draft, readModule, state);
  const present = Array.isArray(draft.handle_response) ? (draft.handle_response as Draft[]) : [];
  const responses = new ResponseHandlers(present);
  proxy.upstreams(cursor, cursor.remainingArguments());
  while (cursor.nextInBlock(0)) {
    if (responses.read(cursor)) {
      continue;
    }
    const name = cursor.value;
    const reader = Object.hasOwn(proxyFields, name)
      ? proxyFields[name]
      : Object.hasOwn(proxy.fields, name)
        ? proxy.fields[name]
        : undefined;
    if (reader === undefined) {
      throw cursor.error(`unrecognized subdirective ${name}`);
    }
    reader(cursor, draft);
  }
  proxy.finishTransport(cursor);
  const handlers = responses.finish(readRoutes);
  if (handlers.length > 0) {
    draft.handle_response = handlers;
  }
}
