import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type CertificateStates, certificatesTopic } from "./certificate-state.ts";

const none: CertificateStates = { certificates: [], pending: [] };

/** `GET /tls/certificates`: what the server can show to clients, when it ends, and what it fails to obtain. */
export const certificatesRoute = defineModule({
  id: "admin.api.certificates",
  config: z.strictObject({}),
  provision(_config, { messages }): AdminRoute {
    async function states(): Promise<CertificateStates> {
      try {
        return (await messages.askMain(certificatesTopic, null)) as CertificateStates;
      } catch (error) {
        // Nothing is loaded: no app `tls` either.
        if (error instanceof ServerError && error.code === "THREAD") {
          return none;
        }
        throw error;
      }
    }
    return {
      path: "/tls/certificates",
      async handle(request) {
        requireMethod(request, "GET");
        return jsonReply(200, (await states()) as unknown as JsonValue);
      },
    };
  },
});
