import { createHash, randomUUID } from "node:crypto";
import { formatGoTime } from "server-core/go/go-time";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import type { TemplateFunction } from "./evaluate-template.ts";
import { sprigTexts } from "./sprig-texts.ts";
import { sprigValues } from "./sprig-values.ts";
import { TemplateError } from "./template-error.ts";
import { isTrue, memberOf, printed } from "./template-values.ts";

/** The longest list and text that one call makes: a template must not fill the memory. */
const maxListLength = 100_000;
const maxTextLength = 10_000_000;

/** A list; nil is an empty one. @throws TemplateError for other values */
function list(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (value === null || value === undefined) {
    return [];
  }
  throw new TemplateError(`a list is wanted, not ${printed(value)}`);
}

/** `numbers(1, 7, 2)` is 1, 3, 5. */
function numbers(from: number, to: number, step: number): number[] {
  if (step === 0 || (to - from) / step > maxListLength) {
    throw new TemplateError(`a list of more than ${maxListLength} numbers`);
  }
  return Array.from(
    { length: Math.max(0, Math.ceil((to - from) / step)) },
    (_, index) => from + index * step,
  );
}

function repeat(count: number, text: unknown): string {
  if (count * printed(text).length > maxTextLength) {
    throw new TemplateError(`a text of more than ${maxTextLength} characters`);
  }
  return printed(text).repeat(Math.max(0, count));
}

/** A time from a date, seconds since 1970, or a text. */
function toDate(value: unknown): Date {
  return value instanceof Date ? value : new Date(typeof value === "number" ? value * 1000 : printed(value));
}

/** First letters of words in upper case. */
function title(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Pairs as a map; a key without a value gets "". */
function dict(...pairs: unknown[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (let index = 0; index < pairs.length; index += 2) {
    map.set(printed(pairs[index]), pairs[index + 1] ?? "");
  }
  return map;
}

/** Keys of a map or object. */
function keysOf(value: unknown): string[] {
  return value instanceof Map ? [...value.keys()].map(printed) : Object.keys((value ?? {}) as object);
}

/** A digest in hexadecimal digits. */
const hash = (algorithm: string) => (text: unknown) =>
  createHash(algorithm).update(printed(text)).digest("hex");

/** Functions of texts. The text is the last argument, so that pipelines end in it. */
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
  replace: (from: string, to: string, text: unknown) => printed(text).split(from).join(to),
  contains: (part: string, text: unknown) => printed(text).includes(part),
  hasPrefix: (prefix: string, text: unknown) => printed(text).startsWith(prefix),
  hasSuffix: (suffix: string, text: unknown) => printed(text).endsWith(suffix),
  quote: (...values: unknown[]) => values.map((each) => JSON.stringify(printed(each))).join(" "),
  squote: (...values: unknown[]) => values.map((each) => `'${printed(each)}'`).join(" "),
  cat: (...values: unknown[]) => values.map(printed).join(" "),
  indent: (count: number, text: unknown) => printed(text).replace(/^/gm, repeat(count, " ")),
  nindent: (count: number, text: unknown) => `\n${printed(text).replace(/^/gm, repeat(count, " "))}`,
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
  join: (separator: string, values: unknown) => list(values).map(printed).join(separator),
  sortAlpha: (values: unknown) => list(values).map(printed).sort(),
  toString: printed,
  b64enc: (text: unknown) => Buffer.from(printed(text)).toString("base64"),
  b64dec: (text: unknown) => Buffer.from(printed(text), "base64").toString("utf8"),
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

/** Takes characters of `cut` off both ends. */
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

/** Functions of numbers. Whole numbers are cut, not rounded, as in Go. */
const arithmetic: Readonly<Record<string, TemplateFunction>> = {
  int: (value: unknown) => Math.trunc(Number(value)) || 0,
  int64: (value: unknown) => Math.trunc(Number(value)) || 0,
  float64: (value: unknown) => Number(value) || 0,
  atoi: (value: unknown) => Number.parseInt(printed(value), 10) || 0,
  add: (...values: number[]) => values.reduce((sum, each) => sum + Math.trunc(Number(each)), 0),
  add1: (value: number) => Math.trunc(Number(value)) + 1,
  sub: (a: number, b: number) => Math.trunc(a) - Math.trunc(b),
  mul: (...values: number[]) => values.reduce((product, each) => product * Math.trunc(Number(each)), 1),
  div: (a: number, b: number) => divide(a, b),
  mod: (a: number, b: number) => a - divide(a, b) * b,
  max: (...values: number[]) => Math.max(...values.map(Number)),
  min: (...values: number[]) => Math.min(...values.map(Number)),
  floor: (value: number) => Math.floor(Number(value)),
  ceil: (value: number) => Math.ceil(Number(value)),
  round: (value: number, places = 0) => Number(Number(value).toFixed(Math.min(100, Math.max(0, places)))),
  until: (count: number) => numbers(0, count, count < 0 ? -1 : 1),
  untilStep: numbers,
  seq: (...values: number[]) => {
    const [from = 1, step = 1, to = 1] =
      values.length === 1 ? [1, 1, values[0]] : values.length === 2 ? [values[0], 1, values[1]] : values;
    return numbers(from, to + step, step).join(" ");
  },
};

/** @throws TemplateError for division by zero */
function divide(a: number, b: number): number {
  if (Number(b) === 0) {
    throw new TemplateError("division by zero");
  }
  return Math.trunc(a / b);
}

/** Functions of lists and maps. Lists are copied, maps are changed in place, as in sprig. */
const collections: Readonly<Record<string, TemplateFunction>> = {
  list: (...values: unknown[]) => values,
  first: (values: unknown) => list(values)[0] ?? null,
  last: (values: unknown) => list(values).at(-1) ?? null,
  rest: (values: unknown) => list(values).slice(1),
  initial: (values: unknown) => list(values).slice(0, -1),
  append: (values: unknown, each: unknown) => [...list(values), each],
  prepend: (values: unknown, each: unknown) => [each, ...list(values)],
  concat: (...lists: unknown[]) => lists.flatMap(list),
  reverse: (values: unknown) => [...list(values)].reverse(),
  uniq: (values: unknown) => [...new Set(list(values))],
  without: (values: unknown, ...gone: unknown[]) => list(values).filter((each) => !gone.includes(each)),
  has: (each: unknown, values: unknown) => list(values).includes(each),
  compact: (values: unknown) => list(values).filter(isTrue),
  dict,
  get: (map: unknown, key: unknown) => memberOf(map, key) ?? "",
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
  pick: (map: unknown, ...keys: unknown[]) => dict(...keys.flatMap((key) => [key, memberOf(map, key)])),
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
  now: () => new Date(),
  date: (layout: string, value: unknown) => formatGoTime(toDate(value), layout),
  toDate: (_layout: string, text: unknown) => toDate(printed(text)),
  unixEpoch: (value: unknown) => String(Math.floor(toDate(value).getTime() / 1000)),
};

/** Escapes JSON as Go does, so that it is safe inside a `<script>`. */
function escapeMarkup(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Maps as objects, for JSON. */
function plain(value: unknown): unknown {
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]))
    : value;
}

/** These fail in the same way under both names: a template that fails is an error here anyway. */
const alsoMust = [
  ...["append", "chunk", "compact", "dateModify", "deepCopy", "first", "fromJson", "has", "initial", "last"],
  ...["merge", "mergeOverwrite", "prepend", "regexFind", "regexFindAll", "regexMatch", "regexReplaceAll"],
  ...["regexReplaceAllLiteral", "regexSplit", "rest", "reverse", "slice", "toDate", "toJson", "toPrettyJson"],
  ...["toRawJson", "uniq", "without"],
];

/** All functions under their own names. */
const named: Readonly<Record<string, TemplateFunction>> = {
  ...texts,
  ...arithmetic,
  ...collections,
  ...others,
  ...sprigTexts,
  ...sprigValues,
  toRawJson: (value: unknown) => JSON.stringify(plain(value)),
};

/**
 * The functions of the library sprig, but those that make keys, passwords and certificates, encrypt, compare versions, or
 * ask the environment or DNS. Source: masterminds.github.io/sprig
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
