import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { loadCertificate } from "../../material/loaded-certificate.ts";
import { findKey } from "../../material/pem.ts";
import type { ExternalManager } from "./external-manager.ts";
import { readAnswer } from "./read-answer.ts";

/** A web service that provides certificates at `<url>?server_name=<name>`. Source: Caddy 2.11 */
export const httpManager = defineModule({
  id: "tls.get_certificate.http",
  config: z.strictObject({
    url: z
      .url()
      .describe(
        "Is asked with `?server_name=<name>`; 200 has the chain and its key in PEM, 204 says that it has none.",
      ),
  }),
  provision: ({ url: service }): ExternalManager => ({
    async get(name) {
      const url = new URL(service);
      url.searchParams.set("server_name", name);
      const pem = await readAnswer(url);
      if (pem === undefined) {
        return undefined;
      }
      const source = `${url.origin}${url.pathname}`;
      const key = findKey(pem);
      if (key === undefined) {
        throw new ServerError("CERTIFICATE", `${source}: no private key in PEM`);
      }
      return loadCertificate(pem, key, source);
    },
  }),
});
