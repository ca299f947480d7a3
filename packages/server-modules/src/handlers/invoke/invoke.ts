import type { Exchange, NamedRoute } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { defineModule } from "server-core/modules/module";
import { formatJsonPointer } from "server-core/tree/json-pointer";
import { z } from "zod";

/** Runs one of the server's `named_routes`. Source: Caddy 2.11 */
export const invoke = defineModule({
  id: "http.handlers.invoke",
  config: z.strictObject({ name: z.string().describe("Name of the route.") }),
  provision({ name }): HttpHandler {
    const routeOf = (exchange: Exchange): NamedRoute => {
      const route = exchange.server.namedRoutes?.get(name);
      if (route === undefined) {
        throw new HttpError(500, `cannot invoke named route '${name}', which was not defined`);
      }
      return route;
    };
    return {
      startsNothing: true,
      inRehearsal(exchange, way) {
        const server = way.path.split("/").slice(0, 2).join("/");
        routeOf(exchange).rehearse(exchange, {
          ...way,
          path: `${server}/named_routes${formatJsonPointer([name])}`,
        });
      },
      handle: (exchange, next) => routeOf(exchange).run(exchange, next),
    };
  },
});
