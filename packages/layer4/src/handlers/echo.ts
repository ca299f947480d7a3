import { finished } from "node:stream/promises";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";

/** Sends received bytes back, until the client ends. Source: caddy-l4, `layer4.handlers.echo` */
export const echo = defineModule({
  id: "layer4.handlers.echo",
  config: z.strictObject({}),
  provision: (): Handler => ({
    async handle(connection) {
      const stream = connection.take();
      stream.pipe(stream);
      await finished(stream).catch(() => {}); // a lost client is not an error
    },
  }),
});
