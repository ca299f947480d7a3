import * as z from "zod/mini";
import { pageText } from "../page-text.ts";

/** State of the listeners page in its URL. */
export const listenersAddress = z.object({
  /** Part of the address, the server or the protocols. */
  filter: z.catch(z.optional(z.string()), undefined),
  page: pageText,
});

export type ListenersAddress = z.infer<typeof listenersAddress>;
