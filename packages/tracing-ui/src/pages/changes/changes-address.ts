import * as z from "zod/mini";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/** The time of B: that of A, one as long before it, a day or a week earlier, or one of choice. */
export const againsts = ["before", "day", "week", "same", "custom"] as const;

/** State of the page of changes in its address. Unreadable parts fall back to their defaults. */
export const changesAddress = z.object({
  service: text,
  operation: text,
  /** Conditions of both sides, as the search takes them. */
  tags: text,
  /** The attribute whose values tell the sides apart. */
  key: text,
  /** Its value on each side; without one, any. */
  a: text,
  b: text,
  lookback: z.catch(z.enum([...lookbacks.map((entry) => entry.value), "custom"]), "1h"),
  /** Microseconds since 1970; only read when `lookback` is `custom`. */
  start: microseconds,
  end: microseconds,
  against: z.catch(z.enum(againsts), "before"),
  /** Only read when `against` is `custom`. */
  bstart: microseconds,
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
