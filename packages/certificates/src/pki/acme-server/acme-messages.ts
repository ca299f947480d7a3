import { z } from "zod";
import { AcmeProblem } from "./acme-problem.ts";

export const challengeTypes = ["http-01", "dns-01", "tls-alpn-01"] as const;

/**
 * A way in which a client proves a name: by a file over HTTP, by a DNS record, or by a certificate in a TLS handshake.
 */
export type ChallengeType = (typeof challengeTypes)[number];

/**
 * Topic by which the handler `acme_server` passes a request to the main thread: {@link AcmeRequest}, {@link AcmeReply}.
 */
export const acmeServerTopic = "pki.acme_server";

/** The settings of a handler's config. */
export interface AcmeServerSettings {
  /** ID of the CA that issues the certificates. */
  readonly ca: string;
  /** Lifetime of certificates when the order sets no end. */
  readonly lifetimeMs: number;
  /** True: the root signs, and certificates have no intermediate. */
  readonly signWithRoot: boolean;
  /** Challenges that are offered. */
  readonly challenges: readonly ChallengeType[];
  /** DNS servers for TXT records; empty: the servers of the app tls, or else the servers of the system. */
  readonly resolvers: readonly string[];
  /** Policy that each name of an order must meet. */
  readonly policy: IssuancePolicy;
  /** Port that `http-01` connects to. */
  readonly httpPort: number;
  /** Port that `tls-alpn-01` connects to. */
  readonly tlsPort: number;
}

/** Names for which certificates are issued. */
export interface IssuancePolicy {
  /** Names that may be in certificates; without rules, every name that `deny` does not match. */
  readonly allow: NameRules;
  /** Names that orders may not contain, even if `allow` matches them. */
  readonly deny: NameRules;
  /** True when an order may contain names that start with `*.`. A policy without rules allows such names too. */
  readonly allowWildcardNames: boolean;
}

/** A name meets the rules when at least one of them matches it. */
export interface NameRules {
  /** A name, or `*.` and a name, which matches names one label below that name. */
  readonly domains: readonly string[];
  /** Addresses, or networks in CIDR form. */
  readonly ipRanges: readonly string[];
}

export interface AcmeRequest {
  /** Settings of the handler that received the request; the main thread stores no settings. */
  readonly settings: AcmeServerSettings;
  /** Upper case, as in HTTP. */
  readonly method: string;
  /** URL prefix of all resources, without a slash at its end: `https://ca.internal/acme/local`. */
  readonly base: string;
  /** The rest of the path: `new-order`. */
  readonly path: string;
  /** "" for a request without this header. */
  readonly contentType: string;
  /** The whole body, which is still a signed message. */
  readonly body: Uint8Array;
}

/** The answer that the handler sends, errors included. */
export interface AcmeReply {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  /** JSON or PEM; "" for an empty body. */
  readonly body: string;
}

/**
 * One name of an order. The schema allows any `type`, so that an unknown type gets the error `unsupportedIdentifier`
 * and not `malformed`.
 */
const identifierSchema = z.object({
  type: z.string().max(50),
  value: z.string().min(1).max(253),
});

/**
 * Maximum number of names in one order. An order with more is refused as malformed. Source: the limit of Let's Encrypt
 */
const maxIdentifiers = 100;
/** Maximum number of contact addresses of one account; a longer list is refused as malformed. */
const maxContacts = 10;

/** Payload of `new-account`. Source: RFC 8555, section 7.3 */
export const newAccountSchema = z.object({
  /** The field is accepted and ignored, because these CAs have no terms. */
  termsOfServiceAgreed: z.boolean().optional(),
  contact: z.array(z.string().max(255)).max(maxContacts).optional(),
  /** True: the request creates no account, and an unknown key gets `accountDoesNotExist`. */
  onlyReturnExisting: z.boolean().optional(),
});

/** Payload for the URL of an account; `deactivated` cannot be undone. Source: RFC 8555, sections 7.3.2 and 7.3.6 */
export const updateAccountSchema = z.object({
  contact: z.array(z.string().max(255)).max(maxContacts).optional(),
  status: z.literal("deactivated").optional(),
});

/** Payload of `new-order`. Source: RFC 8555, section 7.4 */
export const newOrderSchema = z.object({
  identifiers: z.array(identifierSchema).min(1).max(maxIdentifiers),
  /** Begin of the certificate's validity, RFC 3339; absent: now. */
  notBefore: z.iso.datetime({ offset: true }).optional(),
  /** End of the certificate's validity, RFC 3339; absent: computed from the lifetime in the handler's config. */
  notAfter: z.iso.datetime({ offset: true }).optional(),
});

/** Payload that ends an order: a request for the certificate, DER. Source: RFC 8555, section 7.4 */
export const finalizeSchema = z.object({ csr: z.base64url() });

/** Payload that deactivates an authorization. Source: RFC 8555, section 7.5.2 */
export const updateAuthorizationSchema = z.object({ status: z.literal("deactivated") });

/** Payload of `revoke-cert`: the certificate, DER, and a reason of RFC 5280. Source: RFC 8555, section 7.6 */
export const revokeSchema = z.object({ certificate: z.base64url(), reason: z.int().optional() });

/** Inner payload of `key-change`, signed with the new key. Source: RFC 8555, section 7.3.5 */
export const keyChangeSchema = z.object({ account: z.string(), oldKey: z.record(z.string(), z.unknown()) });

/** Reads the payload of a message. @throws AcmeProblem malformed, naming the field */
export function readPayload<Value>(schema: z.ZodType<Value>, payload: Uint8Array): Value {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(payload).toString());
  } catch {
    throw new AcmeProblem("malformed", "the payload is not JSON");
  }
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new AcmeProblem("malformed", `payload: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  return result.data;
}
