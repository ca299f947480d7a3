import { z } from "zod";

/** The used parts of an authority's answers. Source: RFC 8555, section 7.1; RFC 9773 (renewalInfo) */
export const directorySchema = z.object({
  /** URL that answers HEAD with a nonce. */
  newNonce: z.url(),
  /** URL that registers a key, or finds the account of the key. */
  newAccount: z.url(),
  newOrder: z.url(),
  /** URL of renewal windows. Absent: the authority does not suggest times for renewal. */
  renewalInfo: z.url().optional(),
  /** The CA's requirements. Other fields of the RFC are ignored. */
  meta: z.object({ externalAccountRequired: z.boolean().optional() }).optional(),
});

/** Source: RFC 8555, section 6.7; `subproblems` name the fault of each name: section 6.7.1 */
export const problemSchema = z.object({
  type: z.string().default("about:blank"),
  detail: z.string().default(""),
  subproblems: z.array(z.object({ detail: z.string().default("") })).optional(),
});

/** Status `processing` follows `finalize`, until the certificate is issued. Source: RFC 8555, section 7.1.3 */
export const orderSchema = z.object({
  status: z.enum(["pending", "ready", "processing", "valid", "invalid"]),
  /** URLs of the authorizations, one for each name. */
  authorizations: z.array(z.url()),
  /** URL that accepts the certificate signing request once the order is `ready`. */
  finalize: z.url(),
  /** URL of the certificate; absent until the order is `valid`. */
  certificate: z.url().optional(),
  error: problemSchema.optional(),
});

/** Source: RFC 8555, section 8 */
export const challengeSchema = z.object({
  type: z.string(),
  url: z.url(),
  status: z.string(),
  token: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  error: problemSchema.optional(),
});

/** Source: RFC 8555, section 7.1.4 */
export const authorizationSchema = z.object({
  status: z.enum(["pending", "valid", "invalid", "deactivated", "expired", "revoked"]),
  identifier: z.object({ type: z.string(), value: z.string() }),
  wildcard: z.boolean().optional(),
  challenges: z.array(challengeSchema),
});

/** Source: RFC 9773, section 4.2 */
export const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: z.coerce.date(), end: z.coerce.date() }),
});

/** A request for one certificate. */
export type Order = z.infer<typeof orderSchema>;
/** The proof of one name. */
export type Authorization = z.infer<typeof authorizationSchema>;
/** One way to prove a name. */
export type Challenge = z.infer<typeof challengeSchema>;

/** A problem document as one line of text. */
export function describeProblem(problem: z.infer<typeof problemSchema>): string {
  const details = [problem.detail, ...(problem.subproblems ?? []).map(({ detail }) => detail)];
  return `${problem.type.replace("urn:ietf:params:acme:error:", "")}: ${details.filter(Boolean).join("; ")}`;
}
