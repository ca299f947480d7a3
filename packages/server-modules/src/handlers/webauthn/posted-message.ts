import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import { z } from "zod";

/** Media type of the page's messages. It distinguishes them from requests for the site behind this handler. */
export const messageType = "application/webauthn+json";
/** Maximum number of bytes of a message. A registration has some 1,000, with a certificate of its maker some 5,000. */
const maxMessageBytes = 64 * 1024;

const base64url = z
  .string()
  .max(48 * 1024)
  .regex(/^[\w-]+$/);
const credential = { id: base64url, rawId: base64url, type: z.literal("public-key") };

const messageSchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("sign_in"),
    credential: z.object({
      ...credential,
      response: z.object({
        clientDataJSON: base64url,
        authenticatorData: base64url,
        signature: base64url,
      }),
    }),
  }),
  z.object({
    action: z.literal("register"),
    name: z.string().max(64),
    credential: z.object({
      ...credential,
      response: z.object({
        clientDataJSON: base64url,
        attestationObject: base64url,
        transports: z.array(z.string().max(32)).max(16).default([]),
      }),
    }),
  }),
  z.object({ action: z.literal("remove"), id: base64url, challenge: base64url }),
]);

/** A message of the page. */
export type Message = z.infer<typeof messageSchema>;
/** The answer of a key to a challenge, as `PublicKeyCredential.toJSON` makes it. */
export type SignInCredential = Extract<Message, { action: "sign_in" }>["credential"];
/** A new key, as `PublicKeyCredential.toJSON` makes it. */
export type NewCredential = Extract<Message, { action: "register" }>["credential"];

/** @throws HttpError 400 for an invalid message, 413 for a body over the limit */
export async function readMessage(exchange: Exchange): Promise<Message> {
  const body = (await exchange.bufferBody(maxMessageBytes)).toString("utf8");
  try {
    return messageSchema.parse(JSON.parse(body));
  } catch (error) {
    const place = error instanceof z.ZodError ? ` at ${error.issues[0]?.path.join(".") || "the top"}` : "";
    throw new HttpError(400, `webauthn: the message is not one of sign_in, register and remove${place}`);
  }
}
