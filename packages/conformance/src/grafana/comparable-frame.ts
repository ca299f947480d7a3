import { z } from "zod";
import type { Corpus } from "../tempo-api/corpus.ts";

const frame = z.object({
  schema: z.object({
    name: z.string().optional(),
    refId: z.string().optional(),
    meta: z.unknown().optional(),
    fields: z.array(
      z.object({
        name: z.string(),
        type: z.string().optional(),
        labels: z.record(z.string(), z.string()).optional(),
        config: z.unknown().optional(),
      }),
    ),
  }),
  data: z.object({ values: z.array(z.array(z.unknown())) }),
});

/** Counters of the store's work, and the time of an instant query. */
const leftOut: ReadonlySet<string> = new Set(["metrics", "exemplars", "serviceStats"]);

/**
 * A data frame as rows with named cells, in a form that can be compared. Times are relative to the base of the corpus;
 * rows, tags and columns that have no order are sorted. Objects and lists that are not frames are converted
 * recursively.
 */
export function comparableFrame(value: unknown, corpus: Corpus): unknown {
  const parsed = frame.safeParse(value);
  if (parsed.success) {
    return asRows(parsed.data, corpus);
  }
  if (Array.isArray(value)) {
    const elements = value.map((one) => comparableFrame(one, corpus));
    return elements.toSorted(byText);
  }
  if (typeof value !== "object" || value === null) {
    return told(value, corpus);
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !leftOut.has(key))
      .map(([key, member]) => [key, comparableFrame(member, corpus)]),
  );
}

function asRows({ schema, data }: z.infer<typeof frame>, corpus: Corpus): object {
  const { fields, name = "", meta } = schema;
  const rows = (data.values[0] ?? []).map((_, index) =>
    Object.fromEntries(
      fields.map((field, column) => [field.name, comparableFrame(data.values[column]?.[index], corpus)]),
    ),
  );
  return {
    name: told(name, corpus),
    meta: comparableFrame(meta, corpus),
    fields: Object.fromEntries(
      fields.map(({ name: field, ...about }) => [field, comparableFrame(about, corpus)]),
    ),
    rows: rows.toSorted(byText),
  };
}

const text = (value: unknown) => JSON.stringify(value) ?? "";
function byText(one: unknown, other: unknown): number {
  const [left, right] = [text(one), text(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const windowMs = 4 * 3_600_000;

/** Converts times near the base (in ms, µs or ns) to differences from the base, and rounds sums of doubles. */
function told(value: unknown, { baseUnixNano }: Corpus): unknown {
  const digits = typeof value === "string" ? value.replace(/^number /, "") : value;
  const number =
    typeof digits === "number" || /^\d{13,19}$/.test(String(digits)) ? Number(digits) : Number.NaN;
  const baseMs = Number(baseUnixNano / 1_000_000n);
  for (const unit of [1, 1_000, 1_000_000]) {
    const ms = number / unit - baseMs;
    // A double is exact only to microseconds for such a time.
    if (Math.abs(ms) < windowMs) {
      return `base+${Math.round(ms * 100) / 100}ms`;
    }
  }
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value;
}
