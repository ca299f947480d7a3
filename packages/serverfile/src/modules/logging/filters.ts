import type { TokenCursor } from "../../lexer/token-cursor.ts";
import { type FieldReader, integer, parsed, readFields } from "../../values/block-fields.ts";
import { type Draft, listOf, onlyGiven, setAt } from "../../values/draft.ts";
import { parseInteger } from "../../values/parse-number.ts";
import { type ModuleReader, noSettings } from "../module-reader.ts";

const unknown = (word: string) => `unrecognized subdirective ${word}`;
/**
 * Maximum number of expressions in one `multi_regexp`, as in Caddy; each expression is applied to every log
 * entry.
 */
const maxOperations = 50;
/** Maximum number of characters of one expression, as in Caddy. A longer one is an error. */
const maxPatternLength = 1000;

/** A filter with one optional word. */
function optionalWord(member: string): ModuleReader {
  return (cursor) => {
    cursor.next();
    return onlyGiven({ [member]: cursor.nextArgument() ? cursor.value : "" });
  };
}

/** Reads `replace|hash|delete name [value]` lines. @param nameKey member of the JSON for the name */
function actions(nameKey: "parameter" | "name"): ModuleReader {
  const action =
    (type: string): FieldReader =>
    (cursor, draft) => {
      const read: Draft = { type, [nameKey]: cursor.argument() };
      if (type === "replace") {
        setAt(read, "value", cursor.argument());
      }
      listOf(draft, "actions").push(read);
    };
  const fields = { replace: action("replace"), hash: action("hash"), delete: action("delete") };
  return (cursor) => {
    cursor.next();
    const draft: Draft = {};
    readFields(cursor, draft, fields, unknown);
    return { actions: null, ...draft };
  };
}

function bits(cursor: TokenCursor, word: string): number {
  return parsed(cursor, word, parseInteger, "error parsing %s");
}

/** Lines of `ip_mask`, with the number of address bits that remain. */
export const maskFields = {
  ipv4: integer("ipv4_cidr", "error parsing %s"),
  ipv6: integer("ipv6_cidr", "error parsing %s"),
};

/** `ip_mask [ipv4 [ipv6]]`, or a block; the values are the numbers of address bits that remain. */
const ipMask: ModuleReader = (cursor) => {
  cursor.next();
  const [ipv4, ipv6, ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.error("too many arguments");
  }
  const draft = onlyGiven({
    ipv4_cidr: ipv4 === undefined ? 0 : bits(cursor, ipv4),
    ipv6_cidr: ipv6 === undefined ? 0 : bits(cursor, ipv6),
  });
  readFields(cursor, draft, maskFields, unknown);
  return draft;
};

/** `regexp pattern value`. */
const regexp: ModuleReader = (cursor) => {
  cursor.next();
  const pattern = cursor.nextArgument() ? cursor.value : "";
  const value = cursor.nextArgument() ? cursor.value : "";
  return onlyGiven({ regexp: pattern, value });
};

/** `multi_regexp { regexp pattern value … }`. */
const multiRegexp: ModuleReader = (cursor) => {
  cursor.next();
  const operations: Draft[] = [];
  const read: FieldReader = (line) => {
    if (operations.length >= maxOperations) {
      throw line.error(`too many regexp operations (maximum ${maxOperations} allowed)`);
    }
    const pattern = line.argument();
    if (pattern.length > maxPatternLength) {
      throw line.error(`regexp pattern too long (maximum ${maxPatternLength} characters)`);
    }
    if (pattern === "") {
      throw line.error("regexp pattern cannot be empty");
    }
    operations.push(onlyGiven({ regexp: pattern, value: line.argument() }));
  };
  readFields(cursor, {}, { regexp: read }, unknown);
  if (operations.length === 0) {
    throw cursor.error("multi_regexp filter requires at least one regexp operation");
  }
  return { operations };
};

/** Readers of all filters of log fields. */
export const logFilters: Readonly<Record<string, ModuleReader>> = {
  cookie: actions("name"),
  delete: noSettings,
  hash: noSettings,
  ip_mask: ipMask,
  multi_regexp: multiRegexp,
  query: actions("parameter"),
  regexp,
  rename: optionalWord("name"),
  replace: optionalWord("value"),
  set_cookie: actions("name"),
};
