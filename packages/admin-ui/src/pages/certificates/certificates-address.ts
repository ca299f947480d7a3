import * as z from "zod/mini";

/** State of the certificates page in its address. */
export const certificatesAddress = z.object({
  /** Fingerprint of the certificate whose details are shown. */
  open: z.catch(z.optional(z.string()), undefined),
});

export type CertificatesAddress = z.infer<typeof certificatesAddress>;
