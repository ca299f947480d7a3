import { createHash, createHmac, createPublicKey, type KeyObject, sign } from "node:crypto";

/** Public ES256 key of an account as JWK. The thumbprint requires this order of members. */
export function publicJwk(key: KeyObject): Record<string, string> {
  const { crv = "", kty = "", x = "", y = "" } = createPublicKey(key).export({ format: "jwk" });
  return { crv, kty, x, y };
}

/** SHA-256 thumbprint of an account's key, in base64url. Source: RFC 7638 */
export function thumbprint(key: KeyObject): string {
  return createHash("sha256")
    .update(JSON.stringify(publicJwk(key)))
    .digest("base64url");
}

/** A value as JSON, or a text unchanged, in base64url without padding. */
function encode(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** A signed message: RFC 8555, section 6.2. @param payload "" for a request without content */
export function signMessage(header: Record<string, unknown>, payload: unknown, key: KeyObject): string {
  const head = encode({ alg: "ES256", ...header });
  const body = encode(payload);
  const signature = sign("sha256", Buffer.from(`${head}.${body}`), { key, dsaEncoding: "ieee-p1363" });
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString("base64url") });
}

/** Binds an ACME account to a customer account of the authority: RFC 8555, section 7.3.4. @param macKey base64url */
export function externalAccountBinding(
  url: string,
  keyId: string,
  macKey: string,
  account: KeyObject,
): object {
  const head = encode({ alg: "HS256", kid: keyId, url });
  const payload = encode(publicJwk(account));
  const mac = createHmac("sha256", Buffer.from(macKey, "base64url")).update(`${head}.${payload}`);
  return { protected: head, payload, signature: mac.digest("base64url") };
}
