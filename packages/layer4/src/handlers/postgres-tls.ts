import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { takeMessage } from "../connection/first-message.ts";
import { readFirstMessage } from "../matchers/postgres.ts";
import type { Handler } from "../routes/handler.ts";

/**
 * Bytes of an SSLRequest: a length and a code of four bytes each. Source: PostgreSQL documentation, "Message Formats"
 */
const sslRequestBytes = 8;
/** Milliseconds for receiving the SSLRequest. Normally a route has seen it already. */
const messageTimeoutMs = 10_000;

/** @returns the length of the request; undefined while it is incomplete. @throws Error for another message */
function readSslRequest(bytes: Buffer): { readonly value: undefined; readonly length: number } | undefined {
  const message = readFirstMessage(bytes);
  if (message === undefined) {
    return undefined;
  }
  if (message === "none" || message.kind !== "ssl") {
    throw new Error(
      "postgres_tls: the client does not ask for TLS; match it with `postgres { tls enabled }`",
    );
  }
  return { value: undefined, length: sslRequestBytes };
}

/**
 * Accepts PostgreSQL's request for TLS, so that a following handler `tls` can do the handshake:
 *
 * | from the client | this handler |
 * |---|---|
 * | 00 00 00 08 04 d2 16 2f (SSLRequest) | answers `S` |
 * | another first message | closes the connection |
 * | more bytes before the answer | closes the connection |
 *
 * Source: caddy-l4, `layer4.handlers.postgres_tls`
 */
export const postgresTls = defineModule({
  id: "layer4.handlers.postgres_tls",
  config: z.strictObject({}),
  provision: (): Handler => ({
    async handle(connection, next) {
      await takeMessage(connection, readSslRequest, performance.now() + messageTimeoutMs);
      if (connection.bytes.length > 0) {
        // Bytes before the response were unencrypted: an attacker on the path could have added them. Source:
        // CVE-2021-23214
        throw new Error("postgres_tls: the client sent more before TLS was granted");
      }
      connection.stream.write("S");
      return next(connection);
    },
  }),
});
