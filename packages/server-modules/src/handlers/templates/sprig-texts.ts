import { randomBytes, randomInt } from "node:crypto";
import { posix } from "node:path";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import type { TemplateFunction } from "./evaluate-template.ts";
import { TemplateError } from "./template-error.ts";
import { printed } from "./template-values.ts";

/** Maximum number of random characters of one call, so a page cannot occupy the processor. */
const maxRandomLength = 100_000;
const digits = "0123456789";
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");
const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Checks a length against the limit. @throws TemplateError */
function checkedLength(count: number): number {
  if (!(count >= 0 && count <= maxRandomLength)) {
    throw new TemplateError(`${count} random characters, limit ${maxRandomLength}`);
  }
  return count;
}

/** A text of random characters from a cryptographic source. */
const random = (characters: string) => (count: number) =>
  Array.from({ length: checkedLength(count) }, () => characters[randomInt(characters.length)]).join("");

/** Splits `FooBar`, `HTTPServer` and `foo bar` into lower-case words, joined by `joint`. */
function words(text: unknown, joint: string): string {
  return printed(text)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .replace(/[\s_-]+/g, joint)
    .toLowerCase();
}

const isUpper = (character: string) => /^\p{Lu}$/u.test(character);

/** Capitalizes a word. Capitals directly after its first letter are lowered: `FOO` becomes `Foo`, `FOOBar` `Foobar`. */
function capitalized(word: string): string {
  const [first = "", ...rest] = word;
  const end = isUpper(first) ? rest.findIndex((each) => !isUpper(each)) : 0;
  const run = end < 0 ? rest.length : end;
  return first.toUpperCase() + rest.slice(0, run).join("").toLowerCase() + rest.slice(run).join("");
}

/**
 * `foo_bar baz` becomes `FooBarBaz`. Connectors (blanks, `_`, `-`) at both ends stay. The first connector between
 * two words is removed. Source: xstrings, function `ToPascalCase`
 */
function camelCase(text: unknown): string {
  const [, before = "", inner = "", after = ""] = /^([\s_-]*)(.*?)([\s_-]*)$/su.exec(printed(text)) ?? [];
  const parts = inner.split(/([\s_-]+)/u);
  return (
    before +
    parts.map((part, index) => (index % 2 === 0 ? capitalized(part) : part.slice(1))).join("") +
    after
  );
}

/** Breaks lines at blanks; words longer than a line stay whole. */
function wrap(width: number, text: unknown, newLine = "\n"): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of printed(text).split(" ")) {
    if (line === undefined) {
      line = word;
    } else if (line.length + 1 + word.length <= width) {
      line = `${line} ${word}`;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""].join(newLine);
}

/** Source: RFC 4648, section 6 */
function base32(text: unknown): string {
  const bits = [...Buffer.from(printed(text))].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const coded = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => base32Letters[Number.parseInt(five.padEnd(5, "0"), 2)],
  );
  return coded.join("").padEnd(Math.ceil(coded.length / 8) * 8, "=");
}

/** Decodes base32. As in sprig, the result for an invalid text is the reason. */
function fromBase32(text: unknown): string {
  const end = /^(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2,7}=+$)?/.exec(printed(text))?.[0].length ?? 0;
  if (end < printed(text).length) {
    return `illegal base32 data at input byte ${end}`;
  }
  const bits = [...printed(text).replace(/=+$/, "")]
    .map((letter) => base32Letters.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString();
}

/** Source: RFC 1950, section 8.2 */
function adler32(text: unknown): string {
  let [a, b] = [1, 0];
  for (const byte of Buffer.from(printed(text))) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

/** At most `count` matches; a negative count returns all. */
function findAll(pattern: string, text: unknown, count: number) {
  const regexp = new LinearRegexp(pattern);
  const all = printed(text);
  const found: { start: number; end: number; text: string }[] = [];
  for (let from = 0; from <= all.length && (count < 0 || found.length < count); ) {
    const match = regexp.find(all, from);
    if (match === undefined) {
      break;
    }
    found.push({ start: match.start, end: match.end, text: all.slice(match.start, match.end) });
    from = match.end > match.start ? match.end : match.end + 1;
  }
  return found;
}

/** At most `count` parts between matches; a negative count returns all, 0 none. */
function splitBy(pattern: string, text: unknown, count: number): string[] {
  const all = printed(text);
  const parts: string[] = [];
  let rest = 0;
  for (const { start, end } of findAll(pattern, text, -1)) {
    if (count > 0 && parts.length === count - 1) {
      break;
    }
    parts.push(all.slice(rest, start));
    rest = end;
  }
  return count === 0 ? [] : [...parts, all.slice(rest)];
}

/** `a//b/../c/` becomes `a/c`. Source: Go, `path.Clean` */
function cleanPath(path: unknown): string {
  const clean = posix.normalize(printed(path) || ".");
  return clean.length > 1 ? clean.replace(/\/$/, "") : clean;
}

/** Source: Go, `path.Base` */
function baseName(path: unknown): string {
  return printed(path) === "" ? "." : posix.basename(printed(path)) || "/";
}

/** The extension of the last element, including the dot. */
function extension(path: unknown): string {
  return /\.[^./]*$/.exec(printed(path))?.[0] ?? "";
}

/** Functions for paths with slashes; functions for system paths are the same. */
const paths: Readonly<Record<string, TemplateFunction>> = {
  base: baseName,
  dir: (path: unknown) => cleanPath(posix.dirname(printed(path))),
  clean: cleanPath,
  ext: extension,
  isAbs: (path: unknown) => printed(path).startsWith("/"),
};

/** Text functions of the library sprig. Source: masterminds.github.io/sprig */
export const sprigTexts: Readonly<Record<string, TemplateFunction>> = {
  ...paths,
  osBase: baseName,
  osDir: (path: unknown) => cleanPath(posix.dirname(printed(path))),
  osClean: cleanPath,
  osExt: extension,
  osIsAbs: (path: unknown) => printed(path).startsWith("/"),
  hello: () => "Hello!",
  initials: (text: unknown) =>
    printed(text)
      .split(/\s+/)
      .map((word) => word.slice(0, 1))
      .join(""),
  swapcase: (text: unknown) =>
    printed(text).replace(/\p{L}/gu, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    ),
  camelcase: camelCase,
  snakecase: (text: unknown) => words(text, "_"),
  kebabcase: (text: unknown) => words(text, "-"),
  wrap: (width: number, text: unknown) => wrap(width, text),
  wrapWith: (width: number, newLine: unknown, text: unknown) => wrap(width, text, printed(newLine)),
  plural: (one: unknown, many: unknown, count: number) => (count === 1 ? one : many),
  abbrevboth: (from: number, width: number, text: unknown) => {
    const all = printed(text);
    if (width < 4 || (from > 0 && width < 7) || all.length <= width) {
      return all;
    }
    const start = Math.min(from, all.length);
    if (start <= 4) {
      return `${all.slice(0, width - 3)}...`;
    }
    return start + width - 3 < all.length
      ? `...${all.slice(start, start + width - 6)}...`
      : `...${all.slice(all.length - (width - 3))}`;
  },
  trimall: (cut: unknown, text: unknown) => {
    const characters = new Set(printed(cut));
    const all = [...printed(text)];
    const start = all.findIndex((each) => !characters.has(each));
    return start < 0 ? "" : all.slice(start, all.findLastIndex((each) => !characters.has(each)) + 1).join("");
  },
  toDecimal: (value: unknown) => Number.parseInt(printed(value), 8) || 0,
  b32enc: base32,
  b32dec: fromBase32,
  adler32sum: adler32,
  randAlpha: random(letters),
  randAlphaNum: random(letters + digits),
  randNumeric: random(digits),
  randAscii: random(printable),
  randBytes: (count: number) => randomBytes(checkedLength(count)).toString("base64"),
  randInt: (from: number, to: number) => randomInt(from, to),
  shuffle: (text: unknown) =>
    [...printed(text)]
      .map((letter) => ({ letter, place: randomInt(2 ** 47) }))
      .sort((a, b) => a.place - b.place)
      .map(({ letter }) => letter)
      .join(""),
  regexFindAll: (pattern: string, text: unknown, count: number) =>
    findAll(pattern, text, count).map((match) => match.text),
  regexSplit: splitBy,
  regexQuoteMeta: (text: unknown) => printed(text).replace(/[\\.+*?()|[\]{}^$]/g, "\\$&"),
  regexReplaceAllLiteral: (pattern: string, text: unknown, replacement: unknown) =>
    new LinearRegexp(pattern).replaceAll(printed(text), printed(replacement).replaceAll("$", "$$$$")),
};
