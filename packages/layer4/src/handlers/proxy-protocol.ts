import { proxyPolicySchema, proxyProtocolRules } from "http-engine/proxy-protocol/proxy-policy";
import { readProxyHeader } from "http-engine/proxy-protocol/read-proxy-header";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { addressesOf } from "../connection/addresses.ts";
import type { Connection } from "../connection/connection.ts";
import type { Handler } from "../routes/handler.ts";

type Header = ReturnType<typeof readProxyHeader>;

/**
 * Waits until the header is complete, or certainly absent.
 * A connection that ends within a header is malformed; one that ends without any byte has no header.
 * @throws Error when the timeout ends, or at the limit of bytes for matching
 * @param timeoutMs limit in milliseconds; 0 for a day
 */
async function headerOf(connection: Connection, timeoutMs: number): Promise<Header> {
  const deadlineAt = performance.now() + (timeoutMs || 24 * 60 * 60_000);
  for (;;) {
    const header = readProxyHeader(connection.bytes);
    // Without any byte the parser reports "no header", so the loop must wait.
    if (header.kind !== "partial" && connection.bytes.length > 0) {
      return header;
    }
    const peeked = await connection.peek(deadlineAt);
    if (peeked === "late" || peeked === "full") {
      throw new Error(
        `no whole PROXY protocol header ${peeked === "late" ? `in ${timeoutMs} ms` : "in the first bytes"}`,
      );
    }
    if (peeked === "ended") {
      return connection.bytes.length === 0 ? { kind: "none" } : { kind: "malformed" };
    }
  }
}

/**
 * Removes a PROXY protocol header. The sender's address decides whether its content is trusted:
 *
 * | policy | with a header | without one |
 * |---|---|---|
 * | `use` | the header's address becomes the client's | continues |
 * | `ignore` | the header is removed, the address stays | continues |
 * | `reject` | closed | continues |
 * | `require` | the header's address becomes the client's | closed |
 * | `skip` | nothing is read | continues |
 */
export const proxyProtocol = defineModule({
  id: "layer4.handlers.proxy_protocol",
  config: z.strictObject(proxyPolicySchema),
  provision(config): Handler {
    const rules = proxyProtocolRules(config);
    return {
      async handle(connection, next) {
        const policy = rules.policyOf(connection.addresses.remoteAddress);
        if (policy === "skip") {
          return next(connection);
        }
        const header = await headerOf(connection, rules.timeoutMs);
        if (header.kind === "malformed") {
          throw new Error("malformed PROXY protocol header");
        }
        if (policy === (header.kind === "header" ? "reject" : "require")) {
          throw new Error(
            `PROXY protocol header ${policy === "reject" ? "from who may send none" : "required"}`,
          );
        }
        if (header.kind === "header") {
          connection.skip(header.bytes);
          const { peer } = header;
          if (peer !== undefined && policy !== "ignore") {
            const { localAddress, localPort } = connection.addresses;
            connection.addresses = addressesOf(peer.address, peer.port, localAddress, localPort);
          }
        }
        return next(connection);
      },
    };
  },
});
