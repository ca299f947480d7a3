import * as z from "zod/mini";
import type { RateSort } from "../../api/rates.ts";
import { pageNumber } from "../../components/page-number.ts";
import { refreshField } from "../../components/refresh-select.tsx";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);

/** Columns that the list is sorted by, largest first; `name` from a to z. */
const rateSorts = ["name", "calls", "errors", "p50", "p95", "p99"] as const satisfies readonly RateSort[];

/** State of the services page in its address. Unreadable parts fall back to their defaults. */
export const servicesAddress = z.object({
  /** Name of one service, whose operations are listed; absent: all services. */
  service: text,
  /** Length of the time range, which ends now. */
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  /** Column that orders the list. */
  sort: z.catch(z.enum(rateSorts), "calls"),
  /** Filter: part of a name. */
  filter: text,
  page: pageNumber,
  refresh: refreshField,
  /** Spans that count: `served` are answered calls, `all` are all spans. */
  kinds: z.catch(z.enum(["served", "all"]), "served"),
});

/** State of the services page in its address. */
export type ServicesAddress = z.infer<typeof servicesAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultServicesAddress: ServicesAddress = servicesAddress.parse({});

/** Milliseconds of a `lookback`. */
export function lookbackMs(lookback: ServicesAddress["lookback"]): number {
  return (lookbacks.find(({ value }) => value === lookback)?.us ?? 3_600e6) / 1_000;
}
