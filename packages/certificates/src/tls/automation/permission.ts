import { messageOf, ServerError } from "server-core/errors";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import { defineModule } from "server-core/modules/module";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { httpOneAgent } from "../http-one-agent.ts";

/** Decides if a certificate may be obtained for the name in a client's handshake. */
export interface CertificatePermission extends ModuleInstance {
  /** @throws ServerError CERTIFICATE when not, saying why */
  check(name: string): Promise<void>;
}

/** Modules that decide if a certificate may be obtained on demand. */
export const permissions: ModuleNamespace<CertificatePermission> = { prefix: "tls.permission" };

/** Source: Caddy 2.11 */
const timeoutMs = 10_000;

/** Asks a web service: `<endpoint>?domain=<name>`; any status 200 to 299 permits. */
export const httpPermission = defineModule({
  id: "tls.permission.http",
  config: z.strictObject({
    endpoint: z
      .union([z.url(), z.string().regex(/\{.+\}/)])
      .describe("Is asked with `?domain=<name>`; 2xx permits, anything else refuses."),
  }),
  provision({ endpoint }): CertificatePermission {
    return {
      async check(name) {
        const url = new URL(replaceStrictly(endpoint));
        url.searchParams.set("domain", name);
        let status: number;
        try {
          const { fetch } = await import("undici"); // loaded on first use, because most servers never need it
          const response = await fetch(url, {
            dispatcher: await httpOneAgent(),
            redirect: "manual",
            signal: AbortSignal.timeout(timeoutMs),
          });
          await response.body?.cancel();
          status = response.status;
        } catch (error) {
          throw new ServerError(
            "CERTIFICATE",
            `${name}: asking ${url.origin} for permission: ${messageOf(error)}`,
          );
        }
        if (status < 200 || status > 299) {
          throw new ServerError(
            "CERTIFICATE",
            `${name}: certificate not permitted: ${url.origin} answered ${status}`,
          );
        }
      },
    };
  },
});
