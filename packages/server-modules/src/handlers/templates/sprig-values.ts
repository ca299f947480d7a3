import { isDeepStrictEqual } from "node:util";
import type { TemplateFunction } from "./evaluate-template.ts";
import { GoDuration, NamedNumber, TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { isTrue, memberOf, printed } from "./template-values.ts";
import { typeName } from "./type-name.ts";

/** A map of a template. */
type Dictionary = Map<string, unknown>;

/** Returns a map; objects are converted. @throws TemplateError for other values */
function dictionary(value: unknown): Dictionary {
  if (value instanceof Map) {
    return value as Dictionary;
  }
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return new Map(Object.entries(value));
  }
  throw new TemplateError(`a dictionary is wanted, not ${printed(value)}`);
}

/** @throws TemplateError for a value that is not a list */
function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw new TemplateError(`a list is wanted, not ${printed(value)}`);
  }
  return value;
}

/** Copies lists and maps with all their members. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(copy);
  }
  return value instanceof Map ? new Map([...value].map(([key, each]) => [key, copy(each)])) : value;
}

/** Merges maps into the first one. @param overwrites true: the last map with a key wins; false: the first */
const merge =
  (overwrites: boolean) =>
  (into: unknown, ...others: unknown[]): Dictionary => {
    const result = dictionary(into);
    for (const other of others) {
      for (const [key, value] of dictionary(other)) {
        const own = result.get(key);
        if (own instanceof Map && value instanceof Map) {
          merge(overwrites)(own, value);
        } else if (overwrites || !isTrue(own)) {
          result.set(key, copy(value));
        }
      }
    }
    return result;
  };

function kindOfObject(value: unknown): string {
  if (value === null || value === undefined) {
    return "invalid";
  }
  if (value instanceof TemplateStruct || value instanceof Date) {
    return value instanceof TemplateStruct && value.type.startsWith("*") ? "ptr" : "struct";
  }
  if (value instanceof NamedNumber || value instanceof GoDuration) {
    return value instanceof GoDuration ? "int64" : "int";
  }
  return Array.isArray(value) ? "slice" : "map";
}

/** The kind of a value, in Go's terms. */
function kindOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float64";
    case "function":
      return "func";
    default:
      return kindOfObject(value);
  }
}

/** The type of a value, in Go's terms. */
function typeOf(value: unknown): string {
  return value === null || value === undefined ? "<nil>" : typeName(value);
}

/** Finds the value at a path of keys. The last two arguments are the default and the dictionary. */
function dig(...args: unknown[]): unknown {
  const keys = args.slice(0, -2);
  let value: unknown = args.at(-1);
  for (const key of keys) {
    if (!(value instanceof Map) || !value.has(printed(key))) {
      return args.at(-2);
    }
    value = value.get(printed(key));
  }
  return value;
}

/** `chunk 2 (list 1 2 3)` is `[[1 2] [3]]`. */
function chunk(size: number, values: unknown): unknown[][] {
  if (!(size >= 1)) {
    throw new TemplateError(`chunks of ${size}`);
  }
  const all = list(values);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Splits a URL into parts with sprig's names. */
function urlParts(text: unknown): Dictionary {
  const url =
    /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(
      printed(text),
    );
  const [, scheme = "", userinfo = "", host = "", path = "", query = "", fragment = ""] = url ?? [];
  return new Map(
    Object.entries({
      scheme,
      userinfo,
      host,
      hostname: host.replace(/:\d*$/, ""),
      path,
      query,
      fragment,
      opaque: "",
    }),
  );
}

/** Joins the parts of {@link urlParts} to a URL. */
function urlText(parts: unknown): string {
  const part = (name: string) => printed(memberOf(parts, name));
  const authority =
    part("host") === "" ? "" : `//${part("userinfo") === "" ? "" : `${part("userinfo")}@`}${part("host")}`;
  return `${part("scheme") === "" ? "" : `${part("scheme")}:`}${authority}${part("path")}${
    part("query") === "" ? "" : `?${part("query")}`
  }${part("fragment") === "" ? "" : `#${part("fragment")}`}`;
}

/** A value as a number; 0 for a value that is not a number. */
function number(value: unknown): number {
  return Number(value) || 0;
}

/** Wraps a function of any number of floating-point numbers. */
const floats =
  (change: (a: number, b: number) => number) =>
  (...values: unknown[]): number =>
    values.map(number).reduce(change);

/** Removes errors of binary floating point: 0.1 + 0.2 gives 0.3. */
const decimal = (value: number): number => Number(value.toPrecision(16));

/** Functions of the library sprig that work on lists, dictionaries and numbers. Source: masterminds.github.io/sprig */
export const sprigValues: Readonly<Record<string, TemplateFunction>> = {
  all: (...values: unknown[]) => values.every(isTrue),
  any: (...values: unknown[]) => values.some(isTrue),
  tuple: (...values: unknown[]) => values,
  toStrings: (values: unknown) =>
    list(values)
      .filter((each) => each !== null && each !== undefined)
      .map(printed),
  chunk,
  deepCopy: copy,
  deepEqual: (a: unknown, b: unknown) => isDeepStrictEqual(a, b),
  dig,
  merge: merge(false),
  mergeOverwrite: merge(true),
  omit: (map: unknown, ...keys: unknown[]) =>
    new Map([...dictionary(map)].filter(([key]) => !keys.map(printed).includes(key))),
  pluck: (key: unknown, ...maps: unknown[]) =>
    maps.map(dictionary).flatMap((map) => (map.has(printed(key)) ? [map.get(printed(key))] : [])),
  kindOf,
  kindIs: (kind: unknown, value: unknown) => kindOf(value) === kind,
  typeOf,
  typeIs: (type: unknown, value: unknown) => typeOf(value) === type,
  typeIsLike: (type: unknown, value: unknown) => typeOf(value) === printed(type).replace(/^\*/, ""),
  add1f: (value: unknown) => decimal(number(value) + 1),
  addf: floats((a, b) => decimal(a + b)),
  subf: floats((a, b) => decimal(a - b)),
  mulf: floats((a, b) => decimal(a * b)),
  divf: floats((a, b) => a / b),
  maxf: floats((a, b) => Math.max(a, b)),
  minf: floats((a, b) => Math.min(a, b)),
  biggest: floats((a, b) => Math.max(a, b)),
  urlParse: urlParts,
  urlJoin: urlText,
};
