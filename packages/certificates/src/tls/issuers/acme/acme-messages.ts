import { z } from "zod";

/** The used parts of an authority's answers. Source: RFC 8555, section 7.1; RFC 9773 (renewalInfo) */
export const directorySchema = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  renewalInfo: z.url().optional(),
  meta: z.object({ externalAccountRequired: z.boolean().optional() }).optional(),
});

export const problemSchema = z.object({
  type: z.string().default("about:blank"),
  detail: z.string().default(""),
  subproblems: z.array(z.object({ detail: z.string().default("") })).optional(),
});

export const orderSchema = z.object({
  status: z.enum(["pending", "ready", "processing", "valid", "invalid"]),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: problemSchema.optional(),
});

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

export const authorizationSchema = z.object({
  status: z.enum(["pending", "valid", "invalid", "deactivated", "expired", "revoked"]),
  identifier: z.object({ type: z.string(), value: z.string() }),
  wildcard: z.boolean().optional(),
  challenges: z.array(challengeSchema),
});

export const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: z.coerce.date(), end: z.coerce.date() }),
});

export type Order = z.infer<typeof orderSchema>;
export type Authorization = z.infer<typeof authorizationSchema>;
export type Challenge = z.infer<typeof challengeSchema>;

/** A problem document in one line. */
export function describeProblem(problem: z.infer<typeof problemSchema>): string {
  const details = [problem.detail, ...(problem.subproblems ?? []).map(({ detail }) => detail)];
  return `${problem.type.replace("urn:ietf:params:acme:error:", "")}: ${details.filter(Boolean).join("; ")}`;
}
