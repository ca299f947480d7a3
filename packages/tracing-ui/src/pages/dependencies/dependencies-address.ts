import * as z from "zod/mini";
import { pageNumber } from "../../components/page-number.ts";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);

/** State of the dependencies page in its address. Unreadable parts fall back to their defaults. */
export const dependenciesAddress = z.object({
  /** The service in focus; absent: all services. */
  focus: text,
  /** Name prefix of a group of services. Only services of the group and their neighbours are shown. */
  within: text,
  /** Maximum number of calls between the focus and a shown service; `all`: no limit. */
  hops: z.catch(z.enum(["1", "2", "3", "all"]), "2"),
  /** Length of the time range, which ends now. */
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  /** The view of the calls. */
  view: z.catch(z.enum(["graph", "table"]), "graph"),
  /** Part of a name to filter by; only the table uses it. */
  filter: text,
  /** The column that orders the table. */
  order: z.catch(z.enum(["calls", "parent", "child"]), "calls"),
  page: pageNumber,
});

/** State of the dependencies page in its address. */
export type DependenciesAddress = z.infer<typeof dependenciesAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultDependenciesAddress: DependenciesAddress = dependenciesAddress.parse({});
