import { z } from "zod";
import { challengeTypes } from "./acme-messages.ts";

/** The reason why a challenge or an order failed, in the form of RFC 7807. */
const problem = z.object({ type: z.string(), detail: z.string(), status: z.number() });

/**
 * An account in the form stored below `acme_server/<authority>/accounts`.
 *
 * | Status | Meaning | End of the status |
 * |---|---|---|
 * | `valid` | the account's key may sign orders | the client deactivates the account |
 * | `deactivated` | every message of the account's key is refused | none |
 */
export const accountSchema = z.object({
  /** Random text; it is the last part of the account's URL. */
  id: z.string(),
  status: z.enum(["valid", "deactivated"]),
  /** Public key, JWK. */
  key: z.record(z.string(), z.unknown()),
  /** URLs as the client gave them: `mailto:a@example.com`. */
  contact: z.array(z.string()),
  /**
   * Time of creation, RFC 3339. When the number of accounts reaches its limit, accounts without orders are removed, but
   * not within an hour after this time.
   */
  createdAt: z.string(),
});

/**
 * One way to prove a name. Source: RFC 8555, section 7.1.6
 *
 * | Status | Meaning | End of the status |
 * |---|---|---|
 * | `pending` | the client has not started the check yet | the client posts to the challenge |
 * | `processing` | `Validations` checks the name | the name server or web server answers, or the last attempt fails |
 * | `valid`, `invalid` | the check has succeeded or failed | none |
 *
 * If the server stops during a check, `processing` stays stored; the client's next request restarts the check.
 */
const challengeSchema = z.object({
  type: z.enum(challengeTypes),
  /** Random text that the proof repeats, base64url. */
  token: z.string(),
  status: z.enum(["pending", "processing", "valid", "invalid"]),
  /** Time of the successful check, RFC 3339. */
  validated: z.string().optional(),
  /** The reason why the last check failed; absent in other states. */
  error: problem.optional(),
});

/**
 * The client's authorization for one name of an order. Source: RFC 8555, section 7.1.6
 *
 * | Status | Meaning | End of the status |
 * |---|---|---|
 * | `pending` | all challenges are undecided | a challenge is decided, or the client requests `deactivated` |
 * | `valid` | one challenge succeeded | the client deactivates the authorization |
 * | `invalid` | one challenge failed; the other challenges do not matter | none |
 * | `deactivated` | the client gave up the authorization | none |
 *
 * `expired` is never stored: the endpoint returns this status after the end of the order.
 */
const authorizationSchema = z.object({
  status: z.enum(["pending", "valid", "invalid", "deactivated"]),
  /** The name without `*.`, or the address. */
  identifier: z.object({ type: z.enum(["dns", "ip"]), value: z.string() }),
  /** True: the ordered name is `*.` followed by `identifier.value`. */
  wildcard: z.boolean(),
  /** Challenges that the config enables and that can prove the name; never empty. */
  challenges: z.array(challengeSchema),
});

/**
 * An order with its authorizations and, once issued, its certificate. Source: RFC 8555, section 7.1.6
 *
 * | Status | Meaning | End of the status |
 * |---|---|---|
 * | `pending` | at least one name is not proved | all names are proved, or one name fails |
 * | `ready` | all names are proved | the client requests `finalize`, or deactivates an authorization |
 * | `valid` | the certificate is issued | none |
 * | `invalid` | a name failed; `error` has the reason | none |
 *
 * `processing` of the RFC does not occur: `finalize` answers after the certificate is issued.
 */
export const orderSchema = z.object({
  id: z.string(),
  /** The account that placed the order; no other account sees it. */
  accountId: z.string(),
  status: z.enum(["pending", "ready", "valid", "invalid"]),
  /** End of the order and its authorizations; after the certificate is issued, the end of the certificate. */
  expires: z.string(),
  /** Start of the certificate's validity, RFC 3339; absent: the time of issue. */
  notBefore: z.string().optional(),
  /** End of the certificate's validity, RFC 3339; absent: computed from the lifetime in the handler's config. */
  notAfter: z.string().optional(),
  /** One authorization for each name, in the order of the names. */
  authorizations: z.array(authorizationSchema),
  /** Why the order is `invalid`: the problem of the failed challenge. */
  error: problem.optional(),
  /** The issued certificate and its chain, PEM; absent before `valid`. */
  certificate: z.string().optional(),
});

/** A certificate that this server issued; its serial number is its key in the storage. */
export const certificateSchema = z.object({
  /**
   * The account that ordered the certificate. This account, and any account that proved all names of the certificate,
   * may revoke it.
   */
  accountId: z.string(),
  /** DNS names and addresses, sorted. */
  names: z.array(z.string()),
  /** The certificate without its chain, PEM. */
  certificate: z.string(),
  /** End of the certificate's validity, RFC 3339. The record is removed within an hour afterwards. */
  expires: z.string(),
  /** Time and reason of the revocation (reason code of RFC 5280); absent while the certificate is not revoked. */
  revoked: z.object({ at: z.string(), reason: z.number() }).optional(),
});

/** A client of this server, identified by its key. */
export type Account = z.infer<typeof accountSchema>;
/** A client's request for one certificate. */
export type Order = z.infer<typeof orderSchema>;
/** The proof of one name. */
export type Authorization = z.infer<typeof authorizationSchema>;
/** One way to prove the name. */
export type Challenge = z.infer<typeof challengeSchema>;
export type IssuedCertificate = z.infer<typeof certificateSchema>;
