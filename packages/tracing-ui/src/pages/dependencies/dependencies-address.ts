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
  /** How many calls away from it; `all`: as many as there are. */
  hops: z.catch(z.enum(["1", "2", "3", "all"]), "2"),
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  view: z.catch(z.enum(["graph", "table"]), "graph"),
  /** For the table: part of a name, the column that orders it, the page. */
  filter: text,
  order: z.catch(z.enum(["calls", "parent", "child"]), "calls"),
  page: pageNumber,
});

/** State of the dependencies page in its address. */
export type DependenciesAddress = z.infer<typeof dependenciesAddress>;

/** The defaults, which an address leaves out. */
export const defaultDependenciesAddress: DependenciesAddress = dependenciesAddress.parse({});
