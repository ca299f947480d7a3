import { z } from "zod";
import { challengeTypes } from "./acme-messages.ts";

const problem = z.object({ type: z.string(), detail: z.string(), status: z.number() });

/** An account, as it is stored. */
export const accountSchema = z.object({
  id: z.string(),
  status: z.enum(["valid", "deactivated"]),
  /** Public key, JWK. */
  key: z.record(z.string(), z.unknown()),
  contact: z.array(z.string()),
  createdAt: z.string(),
});

const challengeSchema = z.object({
  type: z.enum(challengeTypes),
  token: z.string(),
  status: z.enum(["pending", "processing", "valid", "invalid"]),
  validated: z.string().optional(),
  error: problem.optional(),
});

const authorizationSchema = z.object({
  status: z.enum(["pending", "valid", "invalid", "deactivated"]),
  identifier: z.object({ type: z.enum(["dns", "ip"]), value: z.string() }),
  wildcard: z.boolean(),
  challenges: z.array(challengeSchema),
});

/** An order with its authorizations and, in the end, its certificate. */
export const orderSchema = z.object({
  id: z.string(),
  accountId: z.string(),
  status: z.enum(["pending", "ready", "valid", "invalid"]),
  /** When the order and its authorizations expire, or the certificate once there is one. */
  expires: z.string(),
  notBefore: z.string().optional(),
  notAfter: z.string().optional(),
  /** One for each name, in the order of the names. */
  authorizations: z.array(authorizationSchema),
  error: problem.optional(),
  /** PEM, with its chain. */
  certificate: z.string().optional(),
});

/** A certificate that was issued, by its serial number. */
export const certificateSchema = z.object({
  accountId: z.string(),
  names: z.array(z.string()),
  /** PEM, without chain. */
  certificate: z.string(),
  expires: z.string(),
  revoked: z.object({ at: z.string(), reason: z.number() }).optional(),
});

export type Account = z.infer<typeof accountSchema>;
export type Order = z.infer<typeof orderSchema>;
export type Authorization = z.infer<typeof authorizationSchema>;
export type Challenge = z.infer<typeof challengeSchema>;
export type IssuedCertificate = z.infer<typeof certificateSchema>;
