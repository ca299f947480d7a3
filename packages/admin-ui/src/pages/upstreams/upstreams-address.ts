import * as z from "zod/mini";
import { upstreamOrders } from "../../api/upstreams.ts";
import { pageText } from "../page-text.ts";

/** State of the upstreams page in its URL. */
export const upstreamsAddress = z.object({
  /** Part of an address. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Sort order; absent means upstreams with trouble first. */
  sort: z.catch(z.optional(z.enum(upstreamOrders)), undefined),
  page: pageText,
});

export type UpstreamsAddress = z.infer<typeof upstreamsAddress>;
