import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { CertificateSource } from "certificates/tls/certificates/certificate-source";
import { ConnectionPolicy } from "certificates/tls/connection/connection-policy";
import { HandshakeEvents } from "certificates/tls/connection/handshake-events";
import { connectionPolicySchema } from "certificates/tls/connection/policy-schema";
import { TlsAcceptor } from "certificates/tls/connection/tls-acceptor";
import { tlsDetails } from "certificates/tls/connection/tls-details";
import { setPeer } from "http-engine/proxy-protocol/take-proxy-header";
import { errorAt, errorWithin } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import type { Connection } from "../connection/connection.ts";
import type { Handler } from "../routes/handler.ts";

const configSchema = z.strictObject({
  connection_policies: z
    .array(connectionPolicySchema)
    .nullish()
    .describe("How handshakes are done; the first policy that matches (one that is for all)."),
});

/**
 * Loads the policies; without any in the config, one for all handshakes. @throws ServerError with the policy's position
 */
async function loadPolicies(
  config: z.infer<typeof configSchema>,
  context: ModuleContext,
): Promise<ConnectionPolicy[]> {
  const configs = config.connection_policies?.length ? config.connection_policies : [{}];
  const policies: ConnectionPolicy[] = [];
  for (const [position, policy] of configs.entries()) {
    const path = `connection_policies/${position}`;
    try {
      policies.push(await ConnectionPolicy.load(policy, context, path, []));
    } catch (error) {
      throw errorWithin(`connection policy ${position}`, errorAt(`${context.path}/${path}`, error));
    }
  }
  return policies;
}

/** TLS versions in the form of placeholders. */
const versions: Readonly<Record<string, string>> = { "TLSv1.2": "tls1.2", "TLSv1.3": "tls1.3" };

/**
 * Sets the placeholders of the handshake: `{l4.tls.server_name}`, `{l4.tls.version}` such as `tls1.3`,
 * `{l4.tls.cipher_suite}`, `{l4.tls.proto}` as negotiated with ALPN, and `{l4.tls.resumed}`.
 */
function tellHandshake(connection: Connection, secure: TLSSocket): void {
  const details = tlsDetails(secure);
  connection.setValue("l4.tls.server_name", details?.serverName ?? "");
  connection.setValue("l4.tls.version", versions[details?.version ?? ""] ?? "");
  connection.setValue("l4.tls.cipher_suite", details?.cipher ?? "");
  connection.setValue("l4.tls.proto", secure.alpnProtocol || "");
  connection.setValue("l4.tls.resumed", String(secure.isSessionReused()));
}

/**
 * Ends TLS: the next handlers get the plain bytes, and what they write is encrypted. A failed handshake closes the
 * connection. Source: caddy-l4, `layer4.handlers.tls`
 */
export const tls = defineModule({
  id: "layer4.handlers.tls",
  config: configSchema,
  async provision(config, context): Promise<Handler> {
    const source = new CertificateSource(context.messages);
    const events = new HandshakeEvents(context.messages);
    const policies = await loadPolicies(config, context);
    const acceptor = new TlsAcceptor(policies, {
      source,
      events,
      messages: context.messages,
      log: context.log,
    });
    let ready: Promise<unknown> | undefined;
    return {
      async handle(connection, next) {
        // The app `tls` answers only once the config runs.
        ready ??= Promise.all([source.loadTicketKeys(), events.load()]);
        try {
          await ready;
        } catch (error) {
          ready = undefined;
          throw error;
        }
        const secure = await shake(acceptor, connection);
        if (secure !== undefined) {
          tellHandshake(connection, secure);
          await next(connection.over(secure));
        }
      },
    };
  },
});

/** @returns undefined for a failed handshake: the acceptor has told the client the reason */
function shake(acceptor: TlsAcceptor, connection: Connection): Promise<TLSSocket | undefined> {
  const { remoteAddress, remotePort } = connection.addresses;
  const socket = connection.take() as Socket;
  if (remoteAddress !== "") {
    setPeer(socket, { address: remoteAddress, port: remotePort });
  }
  return new Promise((resolve) => {
    socket.once("close", () => resolve(undefined));
    acceptor.accept(socket, undefined, resolve);
  });
}
