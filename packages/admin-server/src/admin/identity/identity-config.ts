import { inlineModule } from "server-core/modules/config-fields";
import { z } from "zod";

/** `admin.identity`. Source: Caddy 2.11, except `certificates`. */
export const identitySchema = z.strictObject({
  identifiers: z.array(z.string()).nullish().describe("Names and addresses that the server is known by."),
  issuers: z
    .array(inlineModule("tls.issuance", "module"))
    .nullish()
    .describe(
      "Authorities that certificates for the identifiers are obtained from, asked in order until one issues (ACME for public names, internal for others; none where `certificates` are given).",
    ),
  certificates: z
    .array(
      z.strictObject({
        certificate: z.string().describe("Path of a PEM file: the certificate, then its chain."),
        key: z.string().describe("Path of a PEM file: its key."),
      }),
    )
    .nullish()
    .describe("Certificates from files, read at each load; the first that fits the name asked for is shown."),
});

export type IdentityConfig = z.infer<typeof identitySchema>;

/**
 * The identifiers whose certificates the server obtains itself. Names are in lower case. With `certificates` but
 * without `issuers`, the server obtains no certificates.
 */
export function obtainedIdentifiers(config: IdentityConfig | null | undefined): readonly string[] {
  const isFromFiles = (config?.certificates ?? []).length > 0 && (config?.issuers ?? []).length === 0;
  return isFromFiles ? [] : (config?.identifiers ?? []).map((name) => name.toLowerCase());
}
