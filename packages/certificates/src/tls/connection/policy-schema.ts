import { inlineModule, moduleMap, notYet } from "server-core/modules/config-fields";
import { z } from "zod";
import { certificateSelectionSchema } from "../../material/certificate-selection.ts";
import { cipherNames, groupNames } from "./cipher-names.ts";

/** Versions that a policy may name; the first is the default of `protocol_min`. */
const versions = ["tls1.2", "tls1.3"] as const;

/** A cipher suite by its IANA name. */
const cipher = z.string().refine((name) => cipherNames.has(name), {
  error: (issue) => `unsupported cipher suite: ${issue.input}`,
});
/** A curve with a name that configs use. */
const curve = z.string().refine((name) => groupNames.has(name), {
  error: (issue) => `unsupported curve: ${issue.input}`,
});

/** Demands on client certificates. `loadClientAuth` explains the modes. */
const clientAuthSchema = z.strictObject({
  ca: inlineModule("tls.ca_pool.source", "provider")
    .nullish()
    .describe("Authorities whose certificates are trusted."),
  trusted_ca_certs: z.array(z.string()).nullish().describe("Deprecated: as ca {provider: inline}."),
  trusted_ca_certs_pem_files: z.array(z.string()).nullish().describe("Deprecated: as ca {provider: file}."),
  trusted_leaf_certs: z
    .array(z.string())
    .nullish()
    .describe("Certificates of clients, DER in base64: only these are let in."),
  verifiers: z
    .array(inlineModule("tls.client_auth.verifier", "verifier"))
    .nullish()
    .describe("Further checks; all must agree."),
  mode: z
    .enum(["request", "require", "verify_if_given", "require_and_verify"])
    .nullish()
    .describe("require_and_verify where anything is trusted, else require."),
});

/** One entry of `tls_connection_policies`. Source: Caddy 2.11 */
export const connectionPolicySchema = z.strictObject({
  match: moduleMap("tls.handshake_match").nullish().describe("All must match (matches everything)."),
  certificate_selection: certificateSelectionSchema
    .nullish()
    .describe("How to choose of several certificates."),
  cipher_suites: z.array(cipher).nullish().describe("Of TLS 1.2 and 1.3, by their IANA names."),
  curves: z.array(curve).nullish().describe("x25519mlkem768, x25519, secp256r1, secp384r1, secp521r1."),
  alpn: z.array(z.string().min(1).max(255)).nullish().describe("Application protocols (h2, http/1.1)."),
  protocol_min: z.enum(versions).nullish().describe("Oldest version (tls1.2)."),
  protocol_max: z.enum(versions).nullish().describe("Newest version (tls1.3)."),
  drop: z.boolean().nullish().describe("Such connections are closed."),
  client_authentication: clientAuthSchema.nullish().describe("Whether and how clients show certificates."),
  default_sni: z.string().nullish().describe("Name taken for clients that name none."),
  fallback_sni: z.string().nullish().describe("Name taken where there is no certificate for the one asked."),
  insecure_secrets_log: notYet("secrets of sessions are not written down"),
  handshake_context: notYet("there are no modules for it"),
});

export type ConnectionPolicyConfig = z.infer<typeof connectionPolicySchema>;
export type ClientAuthConfig = z.infer<typeof clientAuthSchema>;
