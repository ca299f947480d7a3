import type { Corpus } from "./corpus.ts";

type Json = Readonly<Record<string, unknown>>;

/** Lists whose order has no meaning, with the key by which they are sorted. */
const unordered: Readonly<Record<string, (element: unknown) => string>> = {
  traces: (one) => String((one as Json).traceID ?? (one as Json).traceId),
  spanSets: (one) => JSON.stringify((one as Json).attributes ?? "") + JSON.stringify(one),
  spans: (one) => String((one as Json).spanID ?? (one as Json).spanId),
  attributes: (one) => JSON.stringify(one),
  scopes: (one) => String((one as Json).name),
  tags: String,
  tagNames: String,
  tagValues: (one) => JSON.stringify(one),
  series: (one) => String((one as Json).key),
  labels: (one) => JSON.stringify(one),
  batches: (one) => JSON.stringify(one),
  resourceSpans: (one) => JSON.stringify(one),
};

/** Counters of the store's work, which are not compared. */
const leftOut: ReadonlySet<string> = new Set(["metrics", "spanSet", "exemplars"]);

/** Members that protobuf's JSON may omit when they are zero or empty; such a member and an absent one are equal. */
const zeroWhenAbsent: ReadonlySet<string> = new Set(["value", "durationNanos", "timestampMs"]);
const isLeftOutZero = (key: string, member: unknown) =>
  (zeroWhenAbsent.has(key) && (member === 0 || member === "0" || member === "")) ||
  (key === "status" && member === "COMPLETE") ||
  (Array.isArray(member) && member.length === 0 && key !== "values");

const windowNano = 4n * 3_600_000_000_000n;

/**
 * An answer without the parts that change from run to run. Times are relative to the base of the corpus, and lists
 * without an order are sorted. Counters of the store's work, zero values and empty values are removed. The first
 * spanset is removed, too, because the list of all spansets also has it.
 */
export function comparable(value: unknown, corpus: Corpus, name = ""): unknown {
  if (typeof value === "string" || typeof value === "number") {
    return told(rounded(value), corpus);
  }
  if (Array.isArray(value)) {
    const elements = value.map((one) => comparable(identified(one, name), corpus));
    const by = unordered[name];
    return by === undefined ? elements : elements.toSorted((one, other) => compare(by(one), by(other)));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !leftOut.has(key) && !isLeftOutZero(key, member))
      .map(([key, member]) => [key, isTraceId(key) ? padded(member) : comparable(member, corpus, key)]),
  );
}

/** In lists of traces, Tempo omits leading zeros of the id. */
const isTraceId = (key: string) => key === "traceID" || key === "traceId";
const padded = (id: unknown) => (/^[\da-f]+$/.test(String(id)) ? String(id).padStart(32, "0") : id);

/** Converts typed values of a tag to text, and the labels of a series to a text that identifies the series. */
function identified(one: unknown, list: string): unknown {
  if (typeof one !== "object" || one === null) {
    return one;
  }
  if (list === "tagValues") {
    const { type, value = "" } = one as Json;
    return `${type}: ${value}`;
  }
  if (list !== "series" || !Array.isArray((one as Json).labels)) {
    return one;
  }
  const { labels, ...others } = one as Json & { labels: readonly Json[] };
  const texts = labels.map(
    ({ key, value }) =>
      `${key}=${Object.values(value as Json)
        .map(shown)
        .join("")}`,
  );
  return { key: texts.sort().join(", "), ...others };
}

const shown = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** The last digits of a sum of doubles depend on the order of addition. */
const rounded = (value: string | number) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Replaces times near the base in a text (in ns, ms or s) by their distance from the base. */
function told(value: string | number, { baseUnixNano }: Corpus): string | number {
  const text = String(value);
  const shown = text.replaceAll(/(?<![\d.])(?:\d{19}|\d{13}|\d{10})(?![\d.])/g, (digits) => {
    const unit = digits.length === 19 ? 1n : digits.length === 13 ? 1_000_000n : 1_000_000_000n;
    const offset = BigInt(digits) * unit - baseUnixNano;
    return offset < windowNano && offset > -windowNano ? `base+${offset / unit}` : digits;
  });
  return shown === text ? value : shown;
}
