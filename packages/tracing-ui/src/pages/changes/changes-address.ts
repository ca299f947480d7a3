import * as z from "zod/mini";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);
/** A time in microseconds since 1970; absent when the text is not such a time. */
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/**
 * The time range of side B:
 * - `before`: as long as the range of A, and right before A
 * - `day`, `week`: the range of A, a day or a week earlier
 * - `same`: the range of A; the values must then differ
 * - `custom`: `bstart` to `bend`
 */
export const againsts = ["before", "day", "week", "same", "custom"] as const;

/** State of the changes page, kept in its URL. Unreadable parts fall back to their defaults. */
export const changesAddress = z.object({
  service: text,
  operation: text,
  /** Conditions of both sides, as the search takes them. */
  tags: text,
  /** The attribute whose value differs between the sides. */
  key: text,
  /** Value of the attribute on side A; absent means any value. */
  a: text,
  /** Value of the attribute on side B; absent means any value. */
  b: text,
  lookback: z.catch(z.enum([...lookbacks.map((entry) => entry.value), "custom"]), "1h"),
  /** Start of A; only read when `lookback` is `custom`. */
  start: microseconds,
  /** End of A; only read when `lookback` is `custom`. */
  end: microseconds,
  against: z.catch(z.enum(againsts), "before"),
  /** Start of B; only read when `against` is `custom`. */
  bstart: microseconds,
  /** End of B; only read when `against` is `custom`. */
  bend: microseconds,
  /** `1`: all services are compared. */
  all: text,
});

/** State of the page of changes in its address. */
export type ChangesAddress = z.infer<typeof changesAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultChangesAddress: ChangesAddress = changesAddress.parse({});

/** The attribute that names a version. */
export const versionKey = "service.version";

/** The search fields for the router: texts, without empty fields and defaults. */
export function changesFields(address: ChangesAddress): Record<string, string> {
  const isOld = (key: string) =>
    (/^(start|end)$/.test(key) && address.lookback !== "custom") ||
    (/^b(start|end)$/.test(key) && address.against !== "custom");
  return Object.fromEntries(
    (Object.keys(changesAddress.shape) as (keyof ChangesAddress)[]).flatMap((key) => {
      const value = address[key];
      const isLeftOut =
        value === undefined || value === "" || value === defaultChangesAddress[key] || isOld(key);
      return isLeftOut ? [] : [[key, String(value)]];
    }),
  );
}
