import type { Corpus } from "./corpus.ts";

type Json = Readonly<Record<string, unknown>>;

/** Lists whose order says nothing, and what they are sorted by. */
const unordered: Readonly<Record<string, (element: unknown) => string>> = {
  traces: (one) => String((one as Json).traceID ?? (one as Json).traceId),
  spanSets: (one) => JSON.stringify((one as Json).attributes ?? "") + JSON.stringify(one),
  spans: (one) => String((one as Json).spanID ?? (one as Json).spanId),
  attributes: (one) => JSON.stringify(one),
  scopes: (one) => String((one as Json).name),
  tags: String,
  tagNames: String,
  tagValues: (one) => JSON.stringify(one),
  series: (one) => JSON.stringify((one as Json).labels),
  labels: (one) => JSON.stringify(one),
  batches: (one) => JSON.stringify(one),
  resourceSpans: (one) => JSON.stringify(one),
};

/** Counters of how the store works. */
const leftOut: ReadonlySet<string> = new Set(["metrics", "spanSet", "exemplars"]);

const windowNano = 4n * 3_600_000_000_000n;

/**
 * An answer without what differs from run to run: times are told from the base of the corpus, lists without an order are
 * sorted, and counters of the store's work are left out, as is the first spanset, which is among the others too.
 */
export function comparable(value: unknown, corpus: Corpus, name = ""): unknown {
  if (typeof value === "string" || typeof value === "number") return told(value, corpus);
  if (Array.isArray(value)) {
    const elements = value.map((one) => comparable(one, corpus));
    const by = unordered[name];
    return by === undefined ? elements : elements.toSorted((one, other) => compare(by(one), by(other)));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !leftOut.has(key))
      .map(([key, member]) => [key, isTraceId(key) ? padded(member) : comparable(member, corpus, key)]),
  );
}

/** Tempo leaves out leading zeros where it has traces in a list. */
const isTraceId = (key: string) => key === "traceID" || key === "traceId";
const padded = (id: unknown) => (/^[\da-f]+$/.test(String(id)) ? String(id).padStart(32, "0") : id);

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Nanoseconds, milliseconds and seconds near the base, wherever they stand in a text. */
function told(value: string | number, { baseUnixNano }: Corpus): string | number {
  const text = String(value);
  const shown = text.replaceAll(/(?<![\d.])(?:\d{19}|\d{13}|\d{10})(?![\d.])/g, (digits) => {
    const unit = digits.length === 19 ? 1n : digits.length === 13 ? 1_000_000n : 1_000_000_000n;
    const offset = BigInt(digits) * unit - baseUnixNano;
    return offset < windowNano && offset > -windowNano ? `base+${offset / unit}` : digits;
  });
  return shown === text ? value : shown;
}
