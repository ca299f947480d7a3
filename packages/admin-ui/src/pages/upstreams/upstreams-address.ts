import * as z from "zod/mini";
import { upstreamOrders } from "../../api/upstreams.ts";
import { pageText } from "../page-text.ts";

/** State of the upstreams page in its address. */
export const upstreamsAddress = z.object({
  /** Part of the addresses that are listed. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Absent: what needs a look first. */
  sort: z.catch(z.optional(z.enum(upstreamOrders)), undefined),
  page: pageText,
});

export type UpstreamsAddress = z.infer<typeof upstreamsAddress>;
