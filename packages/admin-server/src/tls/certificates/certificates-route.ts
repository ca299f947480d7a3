import { z } from "zod";
import { jsonReply, requireMethod } from "../../admin/admin-message.ts";
import type { AdminRoute } from "../../admin/admin-route.ts";
import { ServerError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json/json-value.ts";
import { defineModule } from "../../core/modules/module.ts";
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
