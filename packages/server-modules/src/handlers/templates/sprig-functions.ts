import { createHash, randomUUID } from "node:crypto";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import type { TemplateFunction } from "./evaluate-template.ts";
import { quoted } from "./go-printf.ts";
import { GoDuration, NamedNumber, TemplateStruct } from "./go-types.ts";
import { sprigVersions } from "./semver.ts";
import { sprigDates } from "./sprig-dates.ts";
import { sprigTexts } from "./sprig-texts.ts";
import { sprigValues } from "./sprig-values.ts";
import { TemplateError } from "./template-error.ts";
import { checkTextLength } from "./template-limits.ts";
import { isTrue, memberOf, printed } from "./template-values.ts";

/** Maximum number of entries in a list that one call creates, so a template cannot fill the memory. */
const maxListLength = 100_000;

/** Converts a value to a list; nil becomes an empty list. @throws TemplateError for other values */
function list(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (value === null || value === undefined) {
    return [];
  }
  throw new TemplateError(`a list is wanted, not ${printed(value)}`);
}

/** `numbers(1, 7, 2)` is 1, 3, 5. A step of 0, or away from the end, gives no numbers. */
function numbers(from: number, to: number, step: number): number[] {
  if (step === 0) {
    return [];
  }
  if ((to - from) / step > maxListLength) {
    throw new TemplateError(`a list of more than ${maxListLength} numbers`);
  }
  return Array.from(
    { length: Math.max(0, Math.ceil((to - from) / step)) },
    (_, index) => from + index * step,
  );
}

function withoutNil(values: readonly unknown[]): unknown[] {
  return values.filter((each) => each !== null && each !== undefined);
}

function repeat(count: number, text: unknown): string {
  checkTextLength(count * printed(text).length);
  return printed(text).repeat(Math.max(0, count));
}

/** Joins texts by a separator. @throws TemplateError above the limit of a text */
function joined(texts: readonly string[], separator: string): string {
  checkTextLength(
    texts.reduce((length, each) => length + each.length, separator.length * (texts.length - 1)),
  );
  return texts.join(separator);
}

/** Begins each line with blanks. */
function indent(count: number, text: unknown): string {
  const blanks = repeat(count, " ");
  return joined(`${blanks}${printed(text)}`.split("\n"), `\n${blanks}`);
}

/** Capitalizes the first letter of each word. */
function title(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Converts pairs to a map; a key without a value gets "". */
function dict(...pairs: unknown[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (let index = 0; index < pairs.length; index += 2) {
    map.set(printed(pairs[index]), index + 1 < pairs.length ? pairs[index + 1] : "");
  }
  return map;
}

function keysOf(value: unknown): string[] {
  return value instanceof Map ? [...value.keys()].map(printed) : Object.keys((value ?? {}) as object);
}

/** A digest in hexadecimal digits. */
const hash = (algorithm: string) => (text: unknown) =>
  createHash(algorithm).update(printed(text)).digest("hex");

/** Text functions. The text is the last argument, so that pipelines can pass it. */
const texts: Readonly<Record<string, TemplateFunction>> = {
  upper: (text: unknown) => printed(text).toUpperCase(),
  lower: (text: unknown) => printed(text).toLowerCase(),
  title: (text: unknown) => title(printed(text)),
  untitle: (text: unknown) =>
    printed(text).replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toLowerCase()),
  trim: (text: unknown) => printed(text).trim(),
  trimAll: (cut: string, text: unknown) => trimBy(cut, printed(text)),
  trimPrefix: (prefix: string, text: unknown) => {
    const all = printed(text);
    return all.startsWith(prefix) ? all.slice(prefix.length) : all;
  },
  trimSuffix: (suffix: string, text: unknown) => {
    const all = printed(text);
    return suffix !== "" && all.endsWith(suffix) ? all.slice(0, -suffix.length) : all;
  },
  nospace: (text: unknown) => printed(text).replace(/\s+/g, ""),
  repeat,
  substr: (from: number, to: number, text: unknown) =>
    printed(text).slice(Math.max(0, from), to < 0 ? undefined : to),
  trunc: (count: number, text: unknown) =>
    count < 0 ? printed(text).slice(count) : printed(text).slice(0, count),
  abbrev: (width: number, text: unknown) => {
    const all = printed(text);
    return all.length <= width || width < 4 ? all : `${all.slice(0, width - 3)}...`;
  },
  replace: (from: string, to: string, text: unknown) => joined(printed(text).split(from), to),
  contains: (part: string, text: unknown) => printed(text).includes(part),
  hasPrefix: (prefix: string, text: unknown) => printed(text).startsWith(prefix),
  hasSuffix: (suffix: string, text: unknown) => printed(text).endsWith(suffix),
  quote: (...values: unknown[]) =>
    withoutNil(values)
      .map((each) => quoted(printed(each)))
      .join(" "),
  squote: (...values: unknown[]) =>
    withoutNil(values)
      .map((each) => `'${printed(each)}'`)
      .join(" "),
  cat: (...values: unknown[]) => withoutNil(values).map(printed).join(" "),
  indent,
  nindent: (count: number, text: unknown) => `\n${indent(count, text)}`,
  split: (separator: string, text: unknown) =>
    new Map(
      printed(text)
        .split(separator)
        .map((part, index) => [`_${index}`, part]),
    ),
  splitList: (separator: string, text: unknown) => printed(text).split(separator),
  splitn: (separator: string, count: number, text: unknown) => {
    const parts = printed(text).split(separator);
    const kept = [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
    return new Map(kept.map((part, index) => [`_${index}`, part]));
  },
  join: (separator: string, values: unknown) =>
    joined(withoutNil(Array.isArray(values) ? values : [values]).map(printed), printed(separator)),
  sortAlpha: (values: unknown) => list(values).map(printed).sort(),
  toString: (value: unknown) => (value === null || value === undefined ? "<nil>" : printed(value)),
  b64enc: (text: unknown) => Buffer.from(printed(text)).toString("base64"),
  b64dec: (text: unknown) => fromBase64(printed(text)),
  sha1sum: hash("sha1"),
  sha256sum: hash("sha256"),
  sha512sum: hash("sha512"),
  regexMatch: (pattern: string, text: unknown) => new LinearRegexp(pattern).test(printed(text)),
  regexFind: (pattern: string, text: unknown) =>
    new LinearRegexp(pattern).find(printed(text))?.groups[0] ?? "",
  regexReplaceAll: (pattern: string, text: unknown, replacement: string) =>
    new LinearRegexp(pattern).replaceAll(printed(text), replacement),
  uuidv4: () => randomUUID(),
};

/** Decodes base64. As in sprig, the result for an invalid text is the reason. */
function fromBase64(text: string): string {
  const data = text.replace(/[\r\n]/g, "");
  const end = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(data)?.[0].length ?? 0;
  return end === data.length
    ? textOfBuffer(Buffer.from(data, "base64"))
    : `illegal base64 data at input byte ${end}`;
}

/** Removes the characters of `cut` from both ends. */
function trimBy(cut: string, text: string): string {
  const characters = new Set(cut);
  const all = [...text];
  let [start, end] = [0, all.length];
  while (start < end && characters.has(all[start] ?? "")) {
    start++;
  }
  while (end > start && characters.has(all[end - 1] ?? "")) {
    end--;
  }
  return all.slice(start, end).join("");
}

/** A value as a whole number; 0 for a value that is not a number. */
function whole(value: unknown): number {
  return Math.trunc(Number(value)) || 0;
}

/** Number functions. Whole numbers are truncated, not rounded, as in Go. */
const arithmetic: Readonly<Record<string, TemplateFunction>> = {
  int: whole,
  int64: whole,
  float64: (value: unknown) => Number(value) || 0,
  atoi: (value: unknown) => (/^[+-]?\d+$/.test(printed(value)) ? Number(printed(value)) : 0),
  add: (...values: unknown[]) => values.reduce<number>((sum, each) => sum + whole(each), 0),
  add1: (value: unknown) => whole(value) + 1,
  sub: (a: unknown, b: unknown) => whole(a) - whole(b),
  mul: (...values: unknown[]) => values.reduce<number>((product, each) => product * whole(each), 1),
  div: (a: unknown, b: unknown) => divide(whole(a), whole(b)),
  mod: (a: unknown, b: unknown) => whole(a) - divide(whole(a), whole(b)) * whole(b),
  max: (...values: unknown[]) => Math.max(...values.map(whole)),
  min: (...values: unknown[]) => Math.min(...values.map(whole)),
  floor: (value: number) => Math.floor(Number(value)),
  ceil: (value: number) => Math.ceil(Number(value)),
  round,
  until: (count: number) => numbers(0, count, count < 0 ? -1 : 1),
  untilStep: numbers,
  seq: (...values: number[]) => {
    const [from = 1, to = 1] = values.length === 1 ? [1, values[0]] : [values[0], values.at(-1)];
    const way = to < from ? -1 : 1;
    const step = values.length === 3 ? (values[1] ?? way) : way;
    return step * way <= 0 || values.length === 0 || values.length > 3
      ? ""
      : numbers(from, to + way, step).join(" ");
  },
};

/**
 * Rounds to decimal places. A fraction of at least `up` of the last place is rounded up. As in sprig, negative numbers
 * are rounded down: -2.4 becomes -3. Source: sprig, function `round`
 */
function round(value: unknown, places: unknown = 0, up = 0.5): number {
  const unit = 10 ** (Number(places) || 0);
  const scaled = (Number(value) || 0) * unit;
  return (scaled - Math.trunc(scaled) >= up ? Math.ceil(scaled) : Math.floor(scaled)) / unit;
}

/** @throws TemplateError for division by zero */
function divide(a: number, b: number): number {
  if (Number(b) === 0) {
    throw new TemplateError("division by zero");
  }
  return Math.trunc(a / b);
}

/** Lists are copied, maps are changed in place, as in sprig. */
const collections: Readonly<Record<string, TemplateFunction>> = {
  list: (...values: unknown[]) => values,
  first: (values: unknown) => list(values)[0] ?? null,
  last: (values: unknown) => list(values).at(-1) ?? null,
  rest: (values: unknown) => list(values).slice(1),
  initial: (values: unknown) => list(values).slice(0, -1),
  append: (values: unknown, each: unknown) => [...list(values), each],
  push: (values: unknown, each: unknown) => [...list(values), each],
  prepend: (values: unknown, each: unknown) => [each, ...list(values)],
  concat: (...lists: unknown[]) => lists.flatMap(list),
  reverse: (values: unknown) => [...list(values)].reverse(),
  uniq: (values: unknown) => [...new Set(list(values))],
  without: (values: unknown, ...gone: unknown[]) => list(values).filter((each) => !gone.includes(each)),
  has: (each: unknown, values: unknown) => list(values).includes(each),
  compact: (values: unknown) => list(values).filter(isTrue),
  dict,
  get: (map: unknown, key: unknown) => (keysOf(map).includes(printed(key)) ? memberOf(map, key) : ""),
  set: (map: unknown, key: unknown, value: unknown) => {
    if (map instanceof Map) {
      map.set(printed(key), value);
    }
    return map;
  },
  unset: (map: unknown, key: unknown) => {
    if (map instanceof Map) {
      map.delete(printed(key));
    }
    return map;
  },
  hasKey: (map: unknown, key: unknown) => keysOf(map).includes(printed(key)),
  keys: (...maps: unknown[]) => maps.flatMap(keysOf),
  values: (map: unknown) => keysOf(map).map((key) => memberOf(map, key)),
  pick: (map: unknown, ...keys: unknown[]) =>
    dict(
      ...keys.filter((key) => keysOf(map).includes(printed(key))).flatMap((key) => [key, memberOf(map, key)]),
    ),
};

/** Functions of values of any type. */
const others: Readonly<Record<string, TemplateFunction>> = {
  default: (fallback: unknown, value?: unknown) => (isTrue(value) ? value : fallback),
  empty: (value: unknown) => !isTrue(value),
  coalesce: (...values: unknown[]) => values.find(isTrue) ?? null,
  ternary: (yes: unknown, no: unknown, condition: unknown) => (isTrue(condition) ? yes : no),
  fail: (message: unknown) => {
    throw new TemplateError(printed(message));
  },
  toJson: (value: unknown) => escapeMarkup(JSON.stringify(plain(value))),
  toPrettyJson: (value: unknown) => escapeMarkup(JSON.stringify(plain(value), null, 2)),
  fromJson: (text: unknown) => JSON.parse(printed(text)) as unknown,
};

/** Escapes JSON as Go does, so that it is safe inside a `<script>`. */
function escapeMarkup(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Converts a value of a template to a value for `JSON.stringify`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (value instanceof NamedNumber || value instanceof GoDuration) {
    return value.valueOf();
  }
  if (value instanceof TemplateStruct) {
    return Object.fromEntries(value.fields.map(([key, each]) => [key, plain(each)]));
  }
  const entries =
    value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : undefined;
  if (entries === undefined) {
    return value;
  }
  const sorted = entries.sort(([a], [b]) => (printed(a) < printed(b) ? -1 : 1)); // as Go does
  return Object.fromEntries(sorted.map(([key, each]) => [key, plain(each)]));
}

/** Functions that are also named `must…`. Both names behave alike, because a failing template is always an error. */
const alsoMust = [
  ...["append", "push", "chunk", "compact", "deepCopy", "first", "fromJson", "has", "initial", "last"],
  ...["merge", "mergeOverwrite", "prepend", "regexFind", "regexFindAll", "regexMatch", "regexReplaceAll"],
  ...["regexReplaceAllLiteral", "regexSplit", "rest", "reverse", "toJson", "toPrettyJson"],
  ...["toRawJson", "uniq", "without"],
];

/** All functions by name. */
const named: Readonly<Record<string, TemplateFunction>> = {
  ...texts,
  ...arithmetic,
  ...collections,
  ...others,
  ...sprigTexts,
  ...sprigValues,
  ...sprigDates,
  ...sprigVersions,
  toRawJson: (value: unknown) => JSON.stringify(plain(value)),
};

/**
 * All functions of the library sprig, except those that make keys, passwords or certificates, encrypt, or query DNS.
 * Functions that read the environment are site functions. Source: masterminds.github.io/sprig
 */
export const sprigFunctions: Readonly<Record<string, TemplateFunction>> = {
  ...named,
  ...Object.fromEntries(
    alsoMust.flatMap((name) => {
      const known = named[name];
      return known === undefined ? [] : [[`must${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, known]];
    }),
  ),
};
