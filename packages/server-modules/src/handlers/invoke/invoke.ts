import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Runs one of the server's `named_routes`. Source: the public model (Caddy 2.11) */
export const invoke = defineModule({
  id: "http.handlers.invoke",
  config: z.strictObject({ name: z.string().describe("Name of the route.") }),
  provision({ name }): HttpHandler {
    return {
      startsNothing: true,
      handle(exchange, next) {
        const route = exchange.server.namedRoutes?.get(name);
        if (route === undefined) {
          throw new HttpError(500, `cannot invoke named route '${name}', which was not defined`);
        }
        return route.run(exchange, next);
      },
    };
  },
});
