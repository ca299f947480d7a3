import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";

/** Closes the connection at once; later handlers do not run. Source: caddy-l4, `layer4.handlers.close` */
export const close = defineModule({
  id: "layer4.handlers.close",
  config: z.strictObject({}),
  provision: (): Handler => ({
    async handle(connection) {
      connection.destroy();
    },
  }),
});
