import * as z from "zod/mini";

/** What the page of certificates keeps in its address. */
export const certificatesAddress = z.object({
  /** Fingerprint of the certificate whose details are shown. */
  open: z.catch(z.optional(z.string()), undefined),
});

export type CertificatesAddress = z.infer<typeof certificatesAddress>;
