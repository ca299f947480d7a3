import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import { type ModuleReader, noArguments, type ReadModule } from "serverfile/modules/module-reader";
import { type FieldReader, parsed, readFields } from "serverfile/values/block-fields";
import { type Draft, onlyGiven } from "serverfile/values/draft";
import { parseDuration } from "serverfile/values/parse-duration";
import { parseInteger } from "serverfile/values/parse-number";

/** The message for a line that no policy knows. */
const unknownOption = (word: string) => `unrecognized option '${word}'`;

/** Reads `fallback <policy>`, which is allowed once. */
function fallback(readModule: ReadModule): FieldReader {
  return (cursor, draft) => {
    cursor.argument();
    if (draft.fallback !== undefined) {
      throw cursor.error("fallback selection policy already specified");
    }
    draft.fallback = readModule(cursor, "http.reverse_proxy.selection_policies", "policy");
  };
}

/**
 * Reads a policy that hashes a named value. `header X-User` becomes `{ "policy": "header", "field": "X-User" }`; `query
 * user` sets `key` instead.
 */
function keyed(member: "key" | "field"): ModuleReader {
  return (cursor, readModule) => {
    cursor.next();
    const draft = onlyGiven({ [member]: cursor.argument() });
    readFields(cursor, draft, { fallback: fallback(readModule) }, unknownOption);
    return draft;
  };
}

/** Reads `max_age 1h`, which must be positive and is allowed once. */
function maxAge(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.argument();
  if (draft.max_age !== undefined) {
    throw cursor.error("cookie max_age already specified");
  }
  const age = parsed(cursor, word, parseDuration, "invalid duration");
  if (age <= 0) {
    throw cursor.error(`invalid duration: ${word}, max_age should be non-zero and positive`);
  }
  cursor.noMoreArguments();
  draft.max_age = age;
}

/**
 * `cookie lb secret { fallback first }` becomes `{ "policy": "cookie", "name": "lb", "secret": "secret",
 * "fallback": { "policy": "first" } }`.
 */
const cookie: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const [name = "", secret = "", ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  const draft = onlyGiven({ name, secret });
  readFields(cursor, draft, { fallback: fallback(readModule), max_age: maxAge }, unknownOption);
  return draft;
};

/**
 * `weighted_round_robin 3 1` becomes `{ "weights": [3, 1] }`. Weights apply to the upstreams in their
 * order.
 */
const weightedRoundRobin: ModuleReader = (cursor) => {
  cursor.next();
  const weights = cursor.someArguments().map((word) => {
    const weight = parsed(cursor, word, parseInteger, "invalid weight value '%s'");
    if (weight < 0) {
      throw cursor.error(`invalid weight value '${word}': weight should be non-negative`);
    }
    return weight;
  });
  return { weights };
};

/** `random_choose 3` becomes `{ "choose": 3 }`; 0 is left out and means the default. */
const randomChoose: ModuleReader = (cursor) => {
  cursor.next();
  const choose = parsed(cursor, cursor.argument(), parseInteger, "invalid choice value '%s'");
  return onlyGiven({ choose });
};

/** Every policy of `lb_policy`, with the reader and writer of its arguments. */
export const policyTexts = {
  client_ip_hash: { readText: noArguments },
  cookie: { readText: cookie },
  first: { readText: noArguments },
  header: { readText: keyed("field") },
  ip_hash: { readText: noArguments },
  least_conn: { readText: noArguments },
  query: { readText: keyed("key") },
  random: { readText: noArguments },
  random_choose: { readText: randomChoose },
  round_robin: { readText: noArguments },
  uri_hash: { readText: noArguments },
  weighted_round_robin: { readText: weightedRoundRobin },
} satisfies Record<string, ModuleText>;
