import * as z from "zod/mini";
import { pageNumber } from "../../components/page-number.ts";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);

/** State of the dependencies page in its address. Unreadable parts fall back to their defaults. */
export const dependenciesAddress = z.object({
  /** The service in the middle; all services without it. */
  focus: text,
  /** The prefix of a group of services: only they and their neighbours are shown. */
  within: text,
  /** Calls between the focus and the farthest service that is shown; `all`: as many as there are. */
  hops: z.catch(z.enum(["1", "2", "3", "all"]), "2"),
  /** Length of the time up to now. */
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  /** How the calls are shown. */
  view: z.catch(z.enum(["graph", "table"]), "graph"),
  /** Part of a name; only read by the table. */
  filter: text,
  /** The column that orders the table. */
  order: z.catch(z.enum(["calls", "parent", "child"]), "calls"),
  page: pageNumber,
});

/** State of the dependencies page in its address. */
export type DependenciesAddress = z.infer<typeof dependenciesAddress>;

/** The defaults, which an address leaves out. */
export const defaultDependenciesAddress: DependenciesAddress = dependenciesAddress.parse({});
