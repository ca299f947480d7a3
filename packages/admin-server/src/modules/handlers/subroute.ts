import { z } from "zod";
import { notYet } from "../../core/modules/config-fields.ts";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { loadRoutes, routeSchema } from "../../http/routes.ts";

/** Routes inside a route. */
export const subroute = defineModule({
  id: "http.handlers.subroute",
  config: z.strictObject({
    routes: z.array(routeSchema).nullish().describe("Tried in order, as the routes of a server."),
    errors: notYet(),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const routes = await loadRoutes(config.routes ?? [], context, "routes");
    return { handle: (exchange, next) => routes.run(exchange, next) };
  },
});
