import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { MatcherReader } from "../modules/module-reader.ts";
import { canonicalHeader } from "../values/canonical-header.ts";
import { type Draft, type DraftValue, listOf, onlyGiven, setMember } from "../values/draft.ts";
import { withPrivateRanges } from "../values/private-ranges.ts";
import { readMatcherSet } from "./matcher-set.ts";

function noBlock(cursor: TokenCursor, name: string): void {
  if (cursor.nextInBlock(0)) {
    throw cursor.error(`malformed ${name} matcher: blocks are not supported`);
  }
}

/** A list of words, over all lines; null without any, as in the model. */
function words(name: string): MatcherReader {
  return (cursor) => {
    const list: string[] = [];
    while (cursor.next()) {
      list.push(...cursor.remainingArguments());
      noBlock(cursor, name);
    }
    return list.length === 0 ? null : list;
  };
}

function ranges(name: string): MatcherReader {
  return (cursor) => {
    const list: string[] = [];
    while (cursor.next()) {
      while (cursor.nextArgument()) {
        if (cursor.value === "forwarded" && name === "remote_ip") {
          throw cursor.error(
            "the 'forwarded' option is no longer supported; use the 'client_ip' matcher instead",
          );
        }
        list.push(...withPrivateRanges(cursor.value));
      }
      noBlock(cursor, name);
    }
    return onlyGiven({ ranges: list });
  };
}

function regexp(name: string, pattern: string): Draft {
  return name === "" ? { pattern } : { name, pattern };
}

const pathRegexp: MatcherReader = (cursor) => {
  let read: Draft = { pattern: "" };
  while (cursor.next()) {
    if (read.pattern !== "") {
      throw cursor.error("regular expression can only be used once per named matcher");
    }
    const [first = "", second, ...more] = cursor.someArguments();
    if (more.length > 0) {
      throw cursor.argumentError();
    }
    read = regexp((second === undefined ? "" : first) || cursor.matcherName, second ?? first);
    noBlock(cursor, "path_regexp");
  }
  return read;
};

/** Regular expressions by what they look at: `[name] key pattern`. */
function keyedRegexp(name: string, mayRepeat: boolean): MatcherReader {
  return (cursor) => {
    const read: Draft = {};
    while (cursor.next()) {
      const first = cursor.argument();
      const second = cursor.argument();
      const third = cursor.nextArgument() ? cursor.value : undefined;
      const key = third === undefined ? first : second;
      if (!mayRepeat && Object.hasOwn(read, key)) {
        throw cursor.error(
          `${name} matcher can only be used once per named matcher, per header field: ${key}`,
        );
      }
      const given = third === undefined ? "" : first;
      setMember(read, key, regexp(given || cursor.matcherName, third ?? second));
      noBlock(cursor, name);
    }
    return read;
  };
}

/** Reads `Field value` or `!Field` lines into `read`. */
export function readHeaderMatcher(cursor: TokenCursor, read: Draft): void {
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("malformed header matcher: expected field");
    }
    const field = cursor.value;
    if (field.startsWith("!")) {
      if (field.length === 1) {
        throw cursor.error("malformed header matcher: must have field name following ! character");
      }
      setMember(read, field.slice(1), null);
      if (cursor.nextArgument()) {
        throw cursor.error("malformed header matcher: null matching headers cannot have a field value");
      }
    } else {
      if (!cursor.nextArgument()) {
        throw cursor.error("malformed header matcher: expected both field and value");
      }
      listOf(read, canonicalHeader(field)).push(cursor.value);
    }
    noBlock(cursor, "header");
  }
}

const query: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    for (const word of cursor.remainingArguments()) {
      const equals = word.indexOf("=");
      if (word === "") {
        continue;
      }
      if (equals === -1) {
        throw cursor.error(`malformed query matcher token: ${cursor.value}; must be in param=val format`);
      }
      listOf(read, word.slice(0, equals)).push(word.slice(equals + 1));
    }
    noBlock(cursor, "query");
  }
  return read;
};

const protocol: MatcherReader = (cursor) => {
  let read = "";
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("expected exactly one protocol");
    }
    read = cursor.value;
  }
  return read;
};

const tls: MatcherReader = (cursor) => {
  let read: Draft = {};
  while (cursor.next()) {
    if (cursor.nextArgument()) {
      if (cursor.value !== "early_data") {
        throw cursor.error(`unrecognized option '${cursor.value}'`);
      }
      read = { handshake_complete: false };
    }
    cursor.noMoreArguments();
    if (cursor.nextInBlock(0)) {
      throw cursor.error("malformed tls matcher: blocks are not supported yet");
    }
  }
  return read;
};

const vars: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("malformed vars matcher: expected field name");
    }
    const field = cursor.value;
    const values = cursor.remainingArguments();
    if (values.length === 0) {
      throw cursor.error("malformed vars matcher: expected at least one value to match against");
    }
    listOf(read, field).push(...values);
    noBlock(cursor, "vars");
  }
  return read;
};

const expression: MatcherReader = (cursor) => {
  cursor.next();
  let read: DraftValue;
  if (cursor.countRemainingArguments() > 1) {
    read = cursor.remainingRaw().join(" ");
  } else {
    const expr = cursor.argument();
    read = cursor.matcherName === "" ? expr : { expr, name: cursor.matcherName };
  }
  if (cursor.next()) {
    throw cursor.error(
      "repeated expression matchers are not supported, combine them into one expression with &&",
    );
  }
  return read;
};

const file: MatcherReader = (cursor) => {
  const tryFiles: string[] = [];
  let root = "";
  let policy = "";
  let split: string[] = [];
  while (cursor.next()) {
    tryFiles.push(...cursor.remainingArguments());
    while (cursor.nextInBlock(0)) {
      switch (cursor.value) {
        case "root":
          root = cursor.argument();
          break;
        case "try_files":
          tryFiles.push(...cursor.remainingArguments());
          if (tryFiles.length === 0) {
            throw cursor.argumentError();
          }
          break;
        case "try_policy":
          policy = cursor.argument();
          break;
        case "split_path":
          split = cursor.someArguments();
          break;
        default:
          throw cursor.error(`unrecognized subdirective: ${cursor.value}`);
      }
    }
  }
  return onlyGiven({ root, try_files: tryFiles, try_policy: policy, split_path: split });
};

const urlPattern: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("expected exactly one URL pattern");
    }
    read.pattern = cursor.value;
    while (cursor.nextInBlock(0)) {
      switch (cursor.value) {
        case "base_url":
          read.base_url = cursor.argument();
          break;
        case "ignore_case":
          cursor.noMoreArguments();
          read.ignore_case = true;
          break;
        default:
          throw cursor.error(`unrecognized url_pattern option '${cursor.value}'`);
      }
    }
  }
  return onlyGiven(read);
};

/** How deep `not` may stand in `not`. */
const maxNotDepth = 100;
let notDepth = 0;

const not: MatcherReader = (cursor, readModule) => {
  const sets: Draft[] = [];
  notDepth++;
  try {
    while (cursor.next()) {
      if (notDepth > maxNotDepth) {
        throw cursor.error(`matchers are nested deeper than the limit of ${maxNotDepth} levels`);
      }
      sets.push(readMatcherSet(cursor, requestMatchers, readModule));
    }
  } finally {
    notDepth--;
  }
  return sets;
};

/** Every matcher that a serverfile may name: the one list. Source: the public model (Caddy 2.11), seen running */
export const requestMatchers: Readonly<Record<string, MatcherReader>> = {
  client_ip: ranges("client_ip"),
  expression,
  file,
  header: (cursor) => {
    const read: Draft = {};
    readHeaderMatcher(cursor, read);
    return read;
  },
  header_regexp: keyedRegexp("header_regexp", false),
  host: words("host"),
  method: words("method"),
  not,
  path: words("path"),
  path_regexp: pathRegexp,
  protocol,
  query,
  remote_ip: ranges("remote_ip"),
  tls,
  url_pattern: urlPattern,
  vars,
  vars_regexp: keyedRegexp("vars_regexp", true),
};
