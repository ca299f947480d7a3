import * as z from "zod/mini";
import { pageText } from "../page-text.ts";

/** State of the certificates page in its URL. */
export const certificatesAddress = z.object({
  /** Fingerprint of the certificate whose details are shown. */
  open: z.catch(z.optional(z.string()), undefined),
  /** Part of a name, an issuer, a number or a tag. */
  filter: z.catch(z.optional(z.string()), undefined),
  /** Page of the list; dropped when the filter changes. */
  page: pageText,
});

export type CertificatesAddress = z.infer<typeof certificatesAddress>;
