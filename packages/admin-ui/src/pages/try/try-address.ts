import * as z from "zod/mini";

const text = () => z.catch(z.optional(z.string()), undefined);

/** The rehearsed request in the page's URL. Header fields are excluded, because they often contain a password. */
export const tryAddress = z.object({
  /** URL of the request; absent: nothing was tried yet. */
  url: text(),
  /** Method; absent: GET. */
  method: text(),
  /** Address of the client; absent: this machine. */
  client: text(),
});

export type TryAddress = z.infer<typeof tryAddress>;
