import { TLSSocket } from "node:tls";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { configDuration, inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type CaPool, caPools } from "../connection/ca-pool.ts";
import { readAnswer } from "../managers/read-answer.ts";
import { separate } from "./ca-pools.ts";

const defaultHandshakeMs = 10_000;

/** CAs from web services, which are asked each time the config is loaded. Source: Caddy 2.11 */
export const httpCaPool = defineModule({
  id: "tls.ca_pool.source.http",
  config: z.strictObject({
    endpoints: z.array(z.url()).describe("Answer with certificates in PEM."),
    tls: z
      .strictObject({
        ca: inlineModule("tls.ca_pool.source", "provider")
          .nullish()
          .describe("Whom the services' own certificates hang on (those that browsers trust)."),
        insecure_skip_verify: z.boolean().nullish().describe("Trusts every service. For tests only."),
        handshake_timeout: configDuration().nullish().describe("Time for the handshake (10s)."),
        server_name: z.string().nullish().describe("Name to ask for and to verify (that of the endpoint)."),
        renegotiation: z
          .enum(["never", "once", "freely"])
          .nullish()
          .describe("Whether a service may ask for another handshake, TLS 1.2 only (never)."),
      })
      .nullish()
      .describe("How services that speak TLS are spoken to."),
  }),
  async provision({ endpoints, tls }, context): Promise<CaPool> {
    const pool = tls?.ca
      ? await context.loadInline(caPools, "provider", tls.ca as JsonValue, "tls/ca")
      : undefined;
    return {
      async load() {
        const { Agent, buildConnector } = await import("undici"); // loaded on first use
        const connect = buildConnector({
          allowH2: false,
          timeout: tls?.handshake_timeout || defaultHandshakeMs,
          rejectUnauthorized: tls?.insecure_skip_verify !== true,
          ...(tls?.server_name ? { servername: tls.server_name } : {}),
          ...(pool === undefined ? {} : { ca: await pool.load() }),
        });
        const agent = new Agent({
          allowH2: false,
          connect(options, done) {
            connect(options, (...result) => {
              const [, socket] = result;
              if ((tls?.renegotiation ?? "never") === "never" && socket instanceof TLSSocket) {
                socket.disableRenegotiation();
              }
              done(...result);
            });
          },
        });
        try {
          const found: string[] = [];
          for (const endpoint of endpoints) {
            const pem = await readAnswer(new URL(endpoint), agent);
            if (pem === undefined) {
              throw new ServerError("CERTIFICATE", `${endpoint}: status 204: it has no certificates`);
            }
            found.push(...separate(pem, endpoint));
          }
          return found;
        } finally {
          await agent.destroy();
        }
      },
    };
  },
});
