import { createHmac, timingSafeEqual } from "node:crypto";

/** Claims of a session, which is a JWT as the plug-in of Caddy makes it. */
export interface SessionClaims {
  readonly username: string;
  readonly clientIP: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
}

/** Maximum number of characters of a token; a longer token is ignored. */
const maxTokenLength = 4_096;

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const header = encoded({ alg: "HS256", typ: "JWT" });

function signatureOf(text: string, key: Buffer): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** Signs a session. Source: RFC 7519, HS256 */
export function signSession(claims: SessionClaims, key: Buffer): string {
  const text = `${header}.${encoded(claims)}`;
  return `${text}.${signatureOf(text, key).toString("base64url")}`;
}

/** The claims of a session that was signed with the key and has not ended; undefined for any other text. */
export function readSession(token: string, key: Buffer, nowMs: number): SessionClaims | undefined {
  const [head = "", body = "", signature = "", ...more] = token.slice(0, maxTokenLength + 1).split(".");
  if (token.length > maxTokenLength || more.length > 0) {
    return undefined;
  }
  const right = signatureOf(`${head}.${body}`, key);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    return undefined;
  }
  try {
    const { alg } = JSON.parse(Buffer.from(head, "base64url").toString()) as { alg?: unknown };
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Partial<SessionClaims>;
    const { username, clientIP, exp, iat = 0 } = claims;
    return alg === "HS256" &&
      typeof username === "string" &&
      typeof clientIP === "string" &&
      typeof exp === "number" &&
      exp * 1000 > nowMs
      ? { username, clientIP, exp, iat }
      : undefined;
  } catch {
    return undefined;
  }
}
