import * as z from "zod/mini";
import { pageNumber } from "../../components/page-number.ts";
import { refreshField } from "../../components/refresh-select.tsx";
import { lookbacks } from "../../searches/search-address.ts";

const text = z.catch(z.optional(z.string()), undefined);

/** State of the exceptions page in its address. Unreadable parts fall back to their defaults. */
export const exceptionsAddress = z.object({
  /** Service that throws the exceptions; absent: any service. */
  service: text,
  /** Length of the time range, which ends now. */
  lookback: z.catch(z.enum(lookbacks.map((entry) => entry.value)), "1h"),
  /**
   * Order by the number of exceptions, or by the time of the last or the first one; the largest or newest comes
   * first.
   */
  sort: z.catch(z.enum(["count", "last", "first"]), "count"),
  /** Filter: part of the type or the message. */
  filter: text,
  page: pageNumber,
  refresh: refreshField,
});

/** State of the exceptions page in its address. */
export type ExceptionsAddress = z.infer<typeof exceptionsAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultExceptionsAddress: ExceptionsAddress = exceptionsAddress.parse({});
