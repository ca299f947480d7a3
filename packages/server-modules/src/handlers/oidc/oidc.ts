import { readPemFile } from "certificates/material/read-file";
import type { HttpHandler } from "http-engine/handler";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { replaceKnown } from "server-core/placeholders/machine-placeholders";
import { oidcSchema } from "./oidc-config.ts";

/** Protects later handlers with a login at an OpenID Connect provider. */
export const oidc = defineModule({
  id: "http.handlers.oidc",
  config: oidcSchema,
  async provision(config, context): Promise<HttpHandler> {
    const secret = replaceKnown(config.client_secret ?? "");
    if (config.client_secret && secret === "") {
      throw new ServerError("MODULE_CONFIG", "client_secret is empty: is the variable set, the file there?");
    }
    if (config.cookie?.same_site === "none" && config.cookie.secure === false) {
      throw new ServerError("MODULE_CONFIG", "cookie: browsers take same_site none only with secure");
    }
    const roots = await Promise.all(
      (config.trusted_roots_pem_files ?? []).map(async (path) => String(await readPemFile(path))),
    );
    // Libraries that only this handler needs are loaded on first use.
    const [{ OidcHandler }, { OidcProvider }] = await Promise.all([
      import("./oidc-handler.ts"),
      import("./oidc-provider.ts"),
    ]);
    return new OidcHandler(config, context, new OidcProvider(config, secret, roots));
  },
});
