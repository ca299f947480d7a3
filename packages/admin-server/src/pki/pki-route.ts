import { z } from "zod";
import type { AdminReply } from "../admin/admin-message.ts";
import type { AdminRoute } from "../admin/admin-route.ts";
import { ServerError } from "../core/errors.ts";
import { defineModule } from "../core/modules/module.ts";
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

/** `GET /pki/ca/<id>` and `GET /pki/ca/<id>/certificates`. Source: the public model (Caddy 2.11) */
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
