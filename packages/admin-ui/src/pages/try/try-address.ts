import * as z from "zod/mini";

const text = () => z.catch(z.optional(z.string()), undefined);

/** The tried request in the address. Header fields are not in it: they often hold a password. */
export const tryAddress = z.object({
  /** Absent: nothing is tried yet. */
  url: text(),
  /** Absent: GET. */
  method: text(),
  /** Address of the client; absent: this machine's. */
  client: text(),
});

export type TryAddress = z.infer<typeof tryAddress>;
