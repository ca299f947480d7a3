import * as z from "zod/mini";
import { routeOrders } from "../../api/routes.ts";
import { pageText } from "../page-text.ts";

/** State of the routes page in its URL. */
export const routesAddress = z.object({
  /** Part of a host, path, handler or upstream. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Sort order; absent means most requests first. */
  sort: z.catch(z.optional(z.enum(routeOrders)), undefined),
  page: pageText,
});

export type RoutesAddress = z.infer<typeof routesAddress>;
