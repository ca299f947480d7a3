import * as z from "zod/mini";
import { routeOrders } from "../../api/routes.ts";
import { pageText } from "../page-text.ts";

/** State of the routes page in its address. */
export const routesAddress = z.object({
  /** Part of the hosts, paths, handlers and upstreams that are listed. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Absent: most requests first. */
  sort: z.catch(z.optional(z.enum(routeOrders)), undefined),
  page: pageText,
});

export type RoutesAddress = z.infer<typeof routesAddress>;
