import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { MatcherReader } from "../modules/module-reader.ts";
import { canonicalHeader } from "../values/canonical-header.ts";
import { type Draft, listOf, onlyGiven, setMember } from "../values/draft.ts";
import { withPrivateRanges } from "../values/private-ranges.ts";

/** Refuses a block. @throws ServerError CONFIG_ADAPTER */
export function noBlock(cursor: TokenCursor, name: string): void {
  if (cursor.nextInBlock(0)) {
    throw cursor.error(`malformed ${name} matcher: blocks are not supported`);
  }
}

/**
 * Reads a list of words from all lines; null for an empty list, as in Caddy.
 * `path /a /b` becomes `["/a", "/b"]`.
 */
export function words(name: string): MatcherReader {
  return (cursor) => {
    const list: string[] = [];
    while (cursor.next()) {
      list.push(...cursor.remainingArguments());
      noBlock(cursor, name);
    }
    return list.length === 0 ? null : list;
  };
}

/**
 * Reads ranges of addresses.
 * `remote_ip 10.0.0.0/8` becomes `{ "ranges": ["10.0.0.0/8"] }`; `private_ranges` means all private ranges.
 */
export function ranges(name: string): MatcherReader {
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

/** A regular expression with an optional name. */
export function regexp(name: string, pattern: string): Draft {
  return name === "" ? { pattern } : { name, pattern };
}

/**
 * Reads regular expressions by key: `[name] key pattern`. Without a name, captures get the name of the enclosing named
 * matcher.
 * @param mayRepeat true: a second line for the same key replaces the first; false: a second line is refused
 */
export function keyedRegexp(name: string, mayRepeat: boolean): MatcherReader {
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
