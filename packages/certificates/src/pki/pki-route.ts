import type { AdminReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type AuthorityInfo, authorityTopic } from "./pki-app.ts";

function describe(info: AuthorityInfo): AdminReply {
  const body = JSON.stringify({
    id: info.id,
    name: info.name,
    root_common_name: info.rootCommonName,
    intermediate_common_name: info.intermediateCommonName,
    root_certificate: info.rootPem,
    intermediate_certificate: info.intermediatePem,
  });
  return { status: 200, headers: { "Content-Type": "application/json" }, body };
}

/** `GET /pki/ca/<id>` and `GET /pki/ca/<id>/certificates`. Source: Caddy 2.11 */
export const pkiRoute = defineModule({
  id: "admin.api.pki",
  config: z.strictObject({}),
  provision(_config, context): AdminRoute {
    return {
      path: "/pki/",
      async handle({ method, path }) {
        const [, , kind, id = "", part, ...more] = path.split("/");
        if (kind !== "ca" || id === "" || (part ?? "certificates") !== "certificates" || more.length > 0) {
          throw new ServerError("ADMIN_NOT_FOUND", `resource not found: ${path}`);
        }
        if (method !== "GET") {
          throw new ServerError("ADMIN_METHOD", `method not allowed: ${method}`);
        }
        const info = (await context.messages.askMain(authorityTopic, id)) as AuthorityInfo | undefined;
        if (info === undefined) {
          throw new ServerError("ADMIN_NOT_FOUND", `no certificate authority configured with id: ${id}`);
        }
        return part === undefined
          ? describe(info)
          : {
              status: 200,
              headers: { "Content-Type": "application/pem-certificate-chain" },
              body: info.intermediatePem + info.rootPem,
            };
      },
    };
  },
});
