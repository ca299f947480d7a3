import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";
import { routesShape } from "../routes/route-config.ts";
import { RouteList } from "../routes/routes.ts";

/** Nested routes as one handler. A connection that no route takes continues after the subroute. */
export const subroute = defineModule({
  id: "layer4.handlers.subroute",
  config: z.strictObject(routesShape),
  async provision(config, context): Promise<Handler> {
    const routes = await RouteList.load(config, context, "routes");
    return { handle: (connection, next) => routes.run(connection, next) };
  },
});
