// Cuts a query into tokens. White space and comments (`// …`, `/* … */`) separate tokens and are dropped.
//
// | text | token |
// |---|---|
// | `>>`, `&&`, `{` | symbol, always the longest that matches |
// | `duration`, `by`, `nil` | word, whose meaning the parser decides |
// | `span:duration` | intrinsic |
// | `.a`, `span.http.url`, `parent.resource.a` | attribute |
// | `."a b"`, `span."x".y` | attribute with quoted parts in its name |
// | `"a\n"`, backquoted text | string |
// | `12` | int |
// | `1.5`, `.5`, `1e3` | float |
// | `1h30m`, `.5s` | duration |

import { parseDuration } from "./durations.ts";
import { traceQlLimits } from "./limits.ts";
import { readQuotedText } from "./quoted-text.ts";
import type { AttributeField, AttributeScope } from "./syntax-tree.ts";
import { TraceQlError } from "./traceql-error.ts";

/** Position of a token in the query. */
interface Placed {
  /** The text in the query. */
  readonly text: string;
  readonly offset: number;
}

/** One token. Ints and durations are from 0 to 2⁶³ - 1, because a minus is a separate symbol. */
export type Token = Placed &
  (
    | { readonly kind: "symbol" | "word" | "end" }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "int" | "duration"; readonly value: bigint }
    | { readonly kind: "float"; readonly value: number }
    | { readonly kind: "attribute"; readonly field: AttributeField }
    /** `span:duration` as one token. */
    | { readonly kind: "intrinsic" }
  );

/** Symbols of the language. The lexer takes the longest symbol that matches. */
const symbols = new Set([
  ...[
    "{",
    "}",
    "(",
    ")",
    ",",
    "|",
    "=",
    "!=",
    "=~",
    "!~",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
  ],
  ...["&&", "||", "!", "~", ">>", "<<", "!>", "!>>", "!<", "!<<", "&>", "&>>", "&<", "&<<", "&~"],
]);
/** Texts at the start of a symbol that are no symbols themselves. */
const beginnings = new Set(["&"]);

/** Words before the dot of an attribute. `parent` is handled separately, because another scope may follow it. */
const attributeScopes: ReadonlySet<string> = new Set([
  "span",
  "resource",
  "event",
  "link",
  "instrumentation",
]);
/** Words before the colon of an intrinsic. */
const intrinsicScopes = new Set(["span", "trace", "event", "link", "instrumentation"]);

const maxInt = 2n ** 63n - 1n;
const word = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
/** Characters that may follow the first number of a duration. `12x` is not a duration, but an int and a word. */
const durationRest = /[\d.nsumhµμdwy]+/y;
const space = /\s+/y;
/** An unquoted name, which may contain all characters except these. */
const plainName = /[^\s{}()=~!<>&|^,"]+/y;

/**
 * The tokens of a query, including the `end` token.
 * @throws TraceQlError for a text that is too long, a string without an end, or a number out of range
 */
export function lex(text: string): Token[] {
  if (text.length > traceQlLimits.textLength) {
    throw new TraceQlError(
      `the query of ${text.length} characters is over the limit of ${traceQlLimits.textLength}`,
      text,
      { offset: traceQlLimits.textLength, length: 0 },
    );
  }
  const tokens: Token[] = [];
  let offset = skipSpace(text, 0);
  while (offset < text.length) {
    const token = tokenAt(text, offset);
    tokens.push(token);
    offset = skipSpace(text, offset + token.text.length);
  }
  tokens.push({ kind: "end", text: "", offset: text.length });
  return tokens;
}

/** True when a name needs no quotes. */
export function isPlainName(name: string): boolean {
  return name !== "" && skip(plainName, name, 0) === name.length;
}

/**
 * The token at an offset that is not in white space. Numbers are tried before attributes, so `.5` is a float, but `.a5`
 * is an attribute.
 * @throws TraceQlError for a character that begins no token
 */
function tokenAt(text: string, offset: number): Token {
  const first = text.charAt(offset);
  if (first === '"' || first === "`") {
    const { value, end } = readQuotedText(text, offset);
    return { kind: "string", text: text.slice(offset, end), offset, value };
  }
  const numberEnd = skip(number, text, offset);
  if (numberEnd > offset) {
    return numberAt(text, offset, numberEnd);
  }
  if (first === ".") {
    return attributeAt(text, offset, { nameOffset: offset + 1, scope: "any", ofParent: false });
  }
  const wordEnd = skip(word, text, offset);
  if (wordEnd > offset) {
    return wordAt(text, offset, wordEnd);
  }
  let end = offset;
  for (
    let next = end + 1;
    symbols.has(text.slice(offset, next)) || beginnings.has(text.slice(offset, next));
    next++
  ) {
    end = next;
    if (next > text.length) {
      break;
    }
  }
  const symbol = text.slice(offset, end);
  if (symbols.has(symbol)) {
    return { kind: "symbol", text: symbol, offset };
  }
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  throw new TraceQlError(`syntax error: unexpected ${JSON.stringify(character)}`, text, {
    offset,
    length: character.length,
  });
}

/** A duration if the number has a unit; otherwise a float if it has a dot or an exponent; otherwise an int. */
function numberAt(text: string, offset: number, end: number): Token {
  const durationEnd = skip(durationRest, text, end);
  const duration = durationEnd > end ? parseDuration(text.slice(offset, durationEnd)) : undefined;
  if (duration !== undefined) {
    const token = {
      kind: "duration",
      text: text.slice(offset, durationEnd),
      offset,
      value: duration,
    } as const;
    if (duration > maxInt) {
      throw outOfRange(text, token);
    }
    return token;
  }
  const digits = text.slice(offset, end);
  if (/^\d+$/.test(digits)) {
    const token = { kind: "int", text: digits, offset, value: BigInt(digits) } as const;
    if (token.value > maxInt) {
      throw outOfRange(text, token);
    }
    return token;
  }
  const token = { kind: "float", text: digits, offset, value: Number(digits) } as const;
  if (!Number.isFinite(token.value)) {
    throw outOfRange(text, token);
  }
  return token;
}

function outOfRange(text: string, token: Token): TraceQlError {
  return new TraceQlError(`value out of range: ${token.text}`, text, {
    offset: token.offset,
    length: token.text.length,
  });
}

/**
 * A word; if `.` or `:` follows it, the scope of an attribute or of an intrinsic. `parent.span.a` is the attribute `a`
 * of the parent span; `parent.a` may be an attribute of span or resource.
 */
function wordAt(text: string, offset: number, end: number): Token {
  const found = text.slice(offset, end);
  const next = text.charAt(end);
  if (next === "." && isScope(found)) {
    return attributeAt(text, offset, { nameOffset: end + 1, scope: found, ofParent: false });
  }
  if (next === "." && found === "parent") {
    for (const scope of ["span", "resource"] as const) {
      if (text.startsWith(`${scope}.`, end + 1)) {
        return attributeAt(text, offset, { nameOffset: end + 1 + scope.length + 1, scope, ofParent: true });
      }
    }
    return attributeAt(text, offset, { nameOffset: end + 1, scope: "any", ofParent: true });
  }
  if (next === ":" && intrinsicScopes.has(found)) {
    return { kind: "intrinsic", text: text.slice(offset, skip(word, text, end + 1)), offset };
  }
  return { kind: "word", text: found, offset };
}

function isScope(text: string): text is AttributeScope {
  return attributeScopes.has(text);
}

/** Place and scope of an attribute's name. */
interface AttributePlace {
  readonly nameOffset: number;
  readonly scope: AttributeScope;
  readonly ofParent: boolean;
}

/** An attribute. Its name may have plain parts and quoted parts: `span.a."b c".d` has the name `a.b c.d`. */
function attributeAt(text: string, offset: number, { nameOffset, scope, ofParent }: AttributePlace): Token {
  let name = "";
  let end = nameOffset;
  for (;;) {
    const plainEnd = skip(plainName, text, end);
    name += text.slice(end, plainEnd);
    end = plainEnd;
    if (text.charAt(end) !== '"') {
      break;
    }
    const quoted = readQuotedName(text, end);
    name += quoted.value;
    end = quoted.end;
  }
  if (end === nameOffset) {
    throw new TraceQlError("syntax error: the name of an attribute is missing", text, {
      offset,
      length: end - offset,
    });
  }
  return {
    ...{ kind: "attribute", text: text.slice(offset, end), offset },
    field: { type: "attribute", scope, name, ofParent },
  };
}

/**
 * Reads a quoted part of a name. Unlike in strings, a backslash escapes only `"` and `\`.
 * @param offset of the opening quote
 */
function readQuotedName(text: string, offset: number): { readonly value: string; readonly end: number } {
  let value = "";
  for (let index = offset + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') {
      return { value, end: index + 1 };
    }
    if (character === "\\") {
      const next = text.charAt(++index);
      if (next !== '"' && next !== "\\") {
        throw new TraceQlError("invalid escape sequence", text, { offset: index - 1, length: 2 });
      }
      value += next;
    } else {
      value += character;
    }
  }
  throw new TraceQlError('unexpected EOF, expecting "', text, { offset, length: text.length - offset });
}

/** Skips white space and comments, which have Go's form. */
function skipSpace(text: string, from: number): number {
  let offset = from;
  for (;;) {
    offset = skip(space, text, offset);
    if (text.startsWith("//", offset)) {
      const end = text.indexOf("\n", offset);
      offset = end === -1 ? text.length : end;
    } else if (text.startsWith("/*", offset)) {
      const end = text.indexOf("*/", offset + 2);
      if (end === -1) {
        throw new TraceQlError("comment not terminated", text, { offset, length: text.length - offset });
      }
      offset = end + 2;
    } else {
      return offset;
    }
  }
}

/** @param pattern a pattern with the flag `y` @returns the end of the match; `offset` without a match */
function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
