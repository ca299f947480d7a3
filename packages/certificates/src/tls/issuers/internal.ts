import { createPublicKey } from "node:crypto";
import { ServerError } from "server-core/errors";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { defaultAuthority, PkiApp } from "../../pki/pki-app.ts";
import type { CertificateIssuer } from "./issuer.ts";

/** Default validity of a certificate: twelve hours. The renewal starts when a third of the lifetime is left. */
const defaultLifetimeMs = 12 * 3_600_000;

/** Issues certificates from the server's own CA. Source: Caddy 2.11 */
export const internalIssuer = defineModule({
  id: "tls.issuance.internal",
  config: z.strictObject({
    ca: z.string().nullish().describe("Which authority of the app pki (local)."),
    lifetime: configDuration().nullish().describe("How long a certificate lives (12h)."),
    sign_with_root: z.boolean().nullish().describe("Whether the root signs, not the intermediate."),
  }),
  async provision(config, context): Promise<CertificateIssuer> {
    const id = config.ca || defaultAuthority;
    const pki = context.app("pki");
    if (!(pki instanceof PkiApp) || !pki.has(id)) {
      throw new ServerError("MODULE_CONFIG", `no certificate authority configured with id: ${id}`);
    }
    return {
      key: id,
      local: true,
      async issue({ name, key }) {
        const authority = await pki.authority(id);
        if (authority === undefined) {
          throw new ServerError("CERTIFICATE", `certificate authority ${id} is gone`);
        }
        const chainPem = await authority.issue({
          names: [name],
          publicKey: createPublicKey(key),
          lifetimeMs: config.lifetime || defaultLifetimeMs,
          signWithRoot: config.sign_with_root === true,
        });
        return { chainPem };
      },
    };
  },
});
