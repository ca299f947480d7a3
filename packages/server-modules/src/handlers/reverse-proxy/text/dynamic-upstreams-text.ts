import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import {
  duration,
  type FieldReader,
  type Row,
  readFields,
  row,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft, listOf, setAt } from "serverfile/values/draft";
import { resolvers } from "./http-transport-text.ts";

/** A value that may be set once, either in the block or after the name of the source. */
function onceSaid(path: string, what: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const value = cursor.argument();
    if (draft[path] !== undefined) {
      throw cursor.error(`${what} has already been specified`);
    }
    setAt(draft, path, value);
  };
  return row(path, read, wordsOf.text);
}

/** Lines that `a` and `srv` share. */
const shared = {
  refresh: duration("refresh", "parsing refresh interval duration"),
  resolvers,
  dial_timeout: duration("dial_timeout", "bad timeout value '%s'"),
  dial_fallback_delay: duration("dial_fallback_delay", "bad delay value '%s'"),
};

/** The lines of `srv`. */
export const srvFields = {
  ...shared,
  service: onceSaid("service", "srv service"),
  proto: onceSaid("proto", "srv proto"),
  name: onceSaid("name", "srv name"),
  grace_period: duration("grace_period", "bad grace period value '%s'"),
};

/** Reads `versions ipv4 ipv6`. */
function versions(cursor: TokenCursor, draft: Draft): void {
  const words = cursor.remainingArguments();
  if (words.length === 0) {
    throw cursor.error("must specify at least one version");
  }
  for (const word of words) {
    if (word !== "ipv4" && word !== "ipv6") {
      throw cursor.error(`unsupported version: '${word}'`);
    }
    childOf(draft, "versions")[word] = true;
  }
}

/** The lines of `a`. */
const aFields = { ...shared, name: onceSaid("name", "a name"), port: onceSaid("port", "a port"), versions };

/** The words of a line; more than `limit` are an error. */
function atMost(cursor: TokenCursor, limit: number): string[] {
  const words = cursor.remainingArguments();
  if (words.length > limit) {
    throw cursor.argumentError();
  }
  return words;
}

/**
 * `dynamic srv [name] { … }`: upstreams from SRV records.
 * ```
 * dynamic srv _http._tcp.example.com {
 *   refresh 30s
 *   grace_period 5m
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "dynamic_upstreams": {
 *     "name": "_http._tcp.example.com",
 *     "refresh": 30000000000,
 *     "grace_period": 300000000000,
 *     "source": "srv"
 *   }
 * }
 * ```
 */
const srv: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  setAt(draft, "name", atMost(cursor, 1)[0] ?? "");
  readFields(cursor, draft, srvFields, (word) => `unrecognized srv option '${word}'`);
  return draft;
};

/**
 * `dynamic a [name [port]] { … }`: upstreams from A and AAAA records.
 * ```
 * dynamic a app.internal 8080 {
 *   versions ipv4
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "dynamic_upstreams": {
 *     "name": "app.internal",
 *     "port": "8080",
 *     "versions": { "ipv4": true },
 *     "source": "a"
 *   }
 * }
 * ```
 */
const a: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  const [name = "", port = ""] = atMost(cursor, 2);
  setAt(draft, "name", name);
  setAt(draft, "port", port);
  readFields(cursor, draft, aFields, (word) => `unrecognized a option '${word}'`);
  return draft;
};

/**
 * `dynamic multi { a …; srv … }`: upstreams from several sources.
 * ```
 * dynamic multi {
 *   a old.internal 80
 *   srv new.internal
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "dynamic_upstreams": {
 *     "sources": [
 *       { "name": "old.internal", "port": "80", "source": "a" },
 *       { "name": "new.internal", "source": "srv" }
 *     ],
 *     "source": "multi"
 *   }
 * }
 * ```
 */
const multi: ModuleReader = (cursor, readModule) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = {};
  while (cursor.nextInBlock(0)) {
    const source = readModule(cursor, "http.reverse_proxy.upstreams", "source");
    listOf(draft, "sources").push(source);
  }
  return draft;
};

/** Text readers of the upstream sources. */
export const upstreamTexts = {
  a: { readText: a },
  multi: { readText: multi },
  srv: { readText: srv },
} satisfies Record<string, ModuleText>;
