import { handlerDirective } from "serverfile/directives/directive";
import { readMatcherSet } from "serverfile/matchers/matcher-set";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf, type Line } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  readFields,
  row,
  text,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft, listOf } from "serverfile/values/draft";

/**
 * Lines of a `zone` block, and the member that each line sets. `match` is read separately, because it may be repeated.
 */
const zoneFields = {
  key: text("key"),
  window: duration("window", "invalid window '%s'"),
  events: integer("max_events", "invalid events '%s'"),
  ipv4_prefix: integer("ipv4_prefix", "invalid ipv4_prefix '%s'"),
  ipv6_prefix: integer("ipv6_prefix", "invalid ipv6_prefix '%s'"),
  max_keys: integer("max_keys", "invalid max_keys '%s'"),
};

/** Reads `jitter 0.2`. */
const readJitter: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument();
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(word)) {
    throw cursor.error(`invalid jitter '${word}'`);
  }
  draft.jitter = Number(word);
};

/** Reads `distributed { … }` of the plug-in into the config, which refuses this member with the reason. */
const readDistributed: FieldReader = (cursor, draft) => {
  cursor.noMoreArguments();
  const lines: FieldReaders = {
    read_interval: duration("read_interval"),
    write_interval: duration("write_interval"),
    purge_age: duration("purge_age"),
  };
  const distributed: Draft = {};
  readFields(cursor, distributed, lines, (word) => `unrecognized distributed subdirective '${word}'`);
  draft.distributed = distributed;
};

/** Lines beside the zones. */
const commonFields = {
  jitter: row("jitter", readJitter, wordsOf.number),
  sweep_interval: duration("sweep_interval", "invalid sweep_interval '%s'"),
  log_key: flag("log_key"),
  disable_metrics: flag("disable_metrics"),
};

/**
 * `rate_limit { zone name { key …; window …; events …; match { … } } }`: refuses requests above a rate. This directive
 * is an addition to Caddy. Two zones with the same name are an error, because the second zone would silently
 * replace the first zone.
 * ```
 * rate_limit {
 *   zone logins {
 *     key {remote_host}
 *     window 1m
 *     events 10
 *     match {
 *       path /login
 *     }
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "rate_limit",
 *   "rate_limits": {
 *     "logins": {
 *       "key": "{http.request.remote.host}",
 *       "window": 60000000000,
 *       "max_events": 10,
 *       "match": [{ "path": ["/login"] }]
 *     }
 *   }
 * }
 * ```
 * Durations are nanoseconds in the JSON, as in every config of Caddy.
 */
const directive = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "rate_limit" };
  const match: FieldReader = (line, zone) => {
    listOf(zone, "match").push(readMatcherSet(line, readModule));
  };
  const zone: FieldReader = (line, read) => {
    const name = line.onlyArgument();
    const zones = childOf(read, "rate_limits");
    if (Object.hasOwn(zones, name)) {
      throw line.error(`zone ${name} is defined more than once`);
    }
    const unknown = (word: string) => `unrecognized zone subdirective '${word}'`;
    readFields(line, childOf(zones, name), { ...zoneFields, match }, unknown);
  };
  const storage: FieldReader = (line, read) => {
    if (!line.nextArgument()) {
      throw line.argumentError();
    }
    read.storage = readModule(line, "storage", "module");
  };
  readFields(
    cursor,
    draft,
    { zone, storage, distributed: readDistributed, ...commonFields },
    (word) => `unrecognized rate_limit subdirective '${word}'`,
  );
  return draft;
});

/** Writes zones in the order of the config's members. A set of matchers becomes one `match` block of the zone. */
const toText: HandlerWriter = (handler, { matcherLines }) => {
  const zones = handler.child("rate_limits");
  const lines = (zones?.childEntries() ?? []).map(([name, zone]): Line => {
    const inner = fieldLines(zone, zoneFields);
    for (const [index, set] of (zone.list("match") ?? []).entries()) {
      inner.push({ words: ["match"], block: matcherLines(set, `${zone.pathOf("match")}/${index}`, "") });
    }
    zone.done("a zone of rate_limit");
    return { words: ["zone", name], block: inner };
  });
  return { directive: "rate_limit", words: [], ...blockOf([...lines, ...fieldLines(handler, commonFields)]) };
};

export const rateLimitText: ModuleText = { directive, toText };
