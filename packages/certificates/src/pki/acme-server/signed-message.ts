import { decodeProtectedHeader, type FlattenedJWSInput, flattenedVerify, importJWK, type JWK } from "jose";
import { z } from "zod";
import { AcmeProblem } from "./acme-problem.ts";

/** Allowed signature algorithms: no shared secrets, and no unsigned messages. Source: RFC 8555, section 6.2 */
const algorithms = ["ES256", "ES384", "ES512", "RS256", "EdDSA", "Ed25519"];

const messageSchema = z.strictObject({
  protected: z.base64url(),
  payload: z.base64url(),
  signature: z.base64url(),
});

/** The public half of a key, and only that. */
const keySchema = z
  .record(z.string(), z.unknown())
  .refine((key) => !Object.hasOwn(key, "d"), { error: "the private half of a key must stay private" })
  .pipe(
    z.discriminatedUnion("kty", [
      z.object({ kty: z.literal("EC"), crv: z.string(), x: z.string(), y: z.string() }),
      z.object({ kty: z.literal("RSA"), n: z.string(), e: z.string() }),
      z.object({ kty: z.literal("OKP"), crv: z.string(), x: z.string() }),
    ]),
  );

const headerSchema = z.object({
  alg: z.string(),
  url: z.string(),
  nonce: z.string().optional(),
  kid: z.string().optional(),
  jwk: keySchema.optional(),
  crit: z.undefined({ error: "no critical extension is known" }).optional(),
  b64: z.undefined({ error: "the payload must be base64url" }).optional(),
});

export type MessageHeader = z.infer<typeof headerSchema>;

/** A message whose signature is not checked yet. */
export interface SignedMessage {
  /** Protected header of the message, with the key, the URL and a nonce. */
  readonly header: MessageHeader;
  /** The message as received, for the check of its signature. */
  readonly message: FlattenedJWSInput;
}

function fault(error: z.ZodError): AcmeProblem {
  const [issue] = error.issues;
  return new AcmeProblem("malformed", `message: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

/**
 * Reads a message in flattened JSON, whose header must be signed completely. @throws AcmeProblem malformed,
 * badSignatureAlgorithm
 */
export function readMessage(body: Uint8Array): SignedMessage {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new AcmeProblem("malformed", "the message is not JSON");
  }
  const message = messageSchema.safeParse(value);
  if (!message.success) {
    throw fault(message.error);
  }
  let decoded: unknown;
  try {
    decoded = decodeProtectedHeader(message.data);
  } catch {
    throw new AcmeProblem("malformed", "message: the protected header is not JSON");
  }
  const header = headerSchema.safeParse(decoded);
  if (!header.success) {
    throw fault(header.error);
  }
  if (!algorithms.includes(header.data.alg)) {
    throw new AcmeProblem(
      "badSignatureAlgorithm",
      `${header.data.alg.slice(0, 20)}: use one of ${algorithms.join(", ")}`,
    );
  }
  return { header: header.data, message: message.data };
}

/** Checks the signature. @returns the payload. @throws AcmeProblem badPublicKey, malformed */
export async function verifyMessage({ header, message }: SignedMessage, jwk: JWK): Promise<Uint8Array> {
  let key: Awaited<ReturnType<typeof importJWK>>;
  try {
    key = await importJWK(jwk, header.alg);
  } catch {
    throw new AcmeProblem("badPublicKey", `the key is none for ${header.alg}`);
  }
  try {
    return (await flattenedVerify(message, key, { algorithms })).payload;
  } catch (error) {
    // Keys of RSA below 2,048 bits are refused by the library.
    if (error instanceof TypeError) {
      throw new AcmeProblem("badPublicKey", error.message);
    }
    throw new AcmeProblem("malformed", "the signature does not verify");
  }
}

/** Accepted algorithms; the error for any other algorithm lists them. */
export const signatureAlgorithms: readonly string[] = algorithms;
