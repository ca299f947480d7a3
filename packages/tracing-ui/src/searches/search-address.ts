import * as z from "zod/mini";
import { pageNumber } from "../components/page-number.ts";
import { refreshField } from "../components/refresh-select.tsx";
import { type UiConfig, uiConfig } from "../links/ui-config.ts";

/** The choices of the time range up to now; `custom` uses `start` and `end` instead. */
export const lookbacks = [
  { value: "5m", label: "Last 5 minutes", us: 300e6 },
  { value: "15m", label: "Last 15 minutes", us: 900e6 },
  { value: "1h", label: "Last hour", us: 3_600e6 },
  { value: "3h", label: "Last 3 hours", us: 3 * 3_600e6 },
  { value: "6h", label: "Last 6 hours", us: 6 * 3_600e6 },
  { value: "12h", label: "Last 12 hours", us: 12 * 3_600e6 },
  { value: "24h", label: "Last 24 hours", us: 24 * 3_600e6 },
  { value: "2d", label: "Last 2 days", us: 2 * 86_400e6 },
  { value: "7d", label: "Last 7 days", us: 7 * 86_400e6 },
] as const;

/** The choice of a search without a `lookback`. Default: the last hour, unless the configuration names another one. */
export function firstLookback({ search }: UiConfig = uiConfig): (typeof lookbacks)[number]["value"] {
  return lookbacks.find(({ value }) => value === search.defaultLookback)?.value ?? "1h";
}

/** The choices for the limit of traces in a search. */
export const limits = [20, 50, 100, 200, 500, 1_000, 1_500] as const;

/**
 * An order of the result list: by a figure, by the root, or by an extra column, written `@` and the attribute. A `-`
 * before it reverses the order.
 */
export type Sort = string;

/** Orders of the groups: the largest figure first, or values from a to z. */
export const groupOrders = ["spans", "errors", "p50", "p95", "value"] as const;
export type GroupOrder = (typeof groupOrders)[number];

const text = z.catch(z.optional(z.string()), undefined);
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/**
 * State of the search page in its address. Names are the same as in Jaeger's UI, so that links made for Jaeger work
 * in this app. Unreadable parts fall back to their defaults, so an address never fails. The router checks an address
 * a second time, so the schema accepts its own output.
 */
export const searchAddress = z.object({
  service: text,
  operation: text,
  /** Tags as typed: `error=true`, or a JSON object. */
  tags: text,
  /** Minimum duration in Go's format. */
  minDuration: text,
  /** Maximum duration in Go's format. */
  maxDuration: text,
  /** Maximum number of traces that the answer may contain. */
  limit: z.catch(z.pipe(z.coerce.number(), z.int().check(z.minimum(1), z.maximum(1_500))), 20),
  lookback: z.catch(z.enum([...lookbacks.map((entry) => entry.value), "custom"]), firstLookback()),
  /** Start of the time range, microseconds since 1970; only read when `lookback` is `custom`. */
  start: microseconds,
  /** End of the time range, microseconds since 1970; only read when `lookback` is `custom`. */
  end: microseconds,
  /** Order of the result list. */
  sort: z.catch(z.string().check(z.regex(/^-?(newest|longest|spans|errors|root|@.+)$/s)), "newest"),
  /** Extra columns: attributes in TraceQL syntax, separated by commas. */
  cols: text,
  /** Attribute to group spans by; the groups replace the list of traces. */
  group: text,
  /** Order of the groups. */
  groupSort: z.catch(z.enum(groupOrders), "spans"),
  /** Filter of the groups: part of the value. */
  groupFilter: text,
  page: pageNumber,
  refresh: refreshField,
  /** TraceQL query, which replaces the fields from `service` to `maxDuration`. */
  q: text,
  /** The selected range of the heat map; see selection.ts. */
  sel: text,
  /** `1`: the live view of arriving spans instead of a search. */
  live: text,
  /** `1`: the traces of the files opened on this page, instead of a search. */
  file: text,
  /** Comma-separated trace ids: loads these traces instead of a search. */
  traceID: text,
});

/** State of the search page in its address. */
export type SearchAddress = z.infer<typeof searchAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultAddress: SearchAddress = searchAddress.parse({});

/** The search fields for the router: strings, without empty texts and defaults. */
export function addressFields(address: SearchAddress): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const key of Object.keys(searchAddress.shape) as (keyof SearchAddress)[]) {
    const value = address[key];
    if (value === undefined || value === "" || value === defaultAddress[key]) {
      continue;
    }
    if ((key === "start" || key === "end") && address.lookback !== "custom") {
      continue;
    }
    fields[key] = String(value);
  }
  return fields;
}
