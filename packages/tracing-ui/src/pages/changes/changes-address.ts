import * as z from "zod/mini";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);
/** A time in microseconds since 1970; absent when the text is no such time. */
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/**
 * The time of B:
 * - `before`: as long as A, and right before it
 * - `day`, `week`: the time of A, a day or a week earlier
 * - `same`: the time of A; the values must then differ
 * - `custom`: `bstart` to `bend`
 */
export const againsts = ["before", "day", "week", "same", "custom"] as const;

/** State of the page of changes in its address. Unreadable parts fall back to their defaults. */
export const changesAddress = z.object({
  service: text,
  operation: text,
  /** Conditions of both sides, as the search takes them. */
  tags: text,
  /** The attribute whose values tell the sides apart. */
  key: text,
  /** Value of the attribute on side A; any value without it. */
  a: text,
  /** Value of the attribute on side B; any value without it. */
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

/** The defaults, which an address leaves out. */
export const defaultChangesAddress: ChangesAddress = changesAddress.parse({});

/** The attribute that names a version. */
export const versionKey = "service.version";

/** The address as the router writes it: texts, without empty ones and defaults. */
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
