import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { loadRoutes } from "http-engine/load-routes";
import { RehearsalLimit } from "http-engine/rehearsed-way";
import { routeSchema } from "http-engine/route-config";
import type { RouteList } from "http-engine/routes";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Lets error routes answer. @throws the error after the head was sent */
function runErrors(errors: RouteList, error: unknown, exchange: Exchange, next: Next): void | Promise<void> {
  if (exchange.headSent) {
    throw error;
  }
  if (exchange.answered) {
    exchange.restartResponse();
  }
  exchange.error = HttpError.from(error);
  return errors.run(exchange, next);
}

/**
 * Routes inside a route.
 * | Routes | Result |
 * |---|---|
 * | a route sends a response | this response |
 * | no route sends a response | the next handler of the outer route |
 * | a route fails, without `errors` | the error goes to the outer route |
 * | a route fails, with `errors` | the error routes answer, unless the head was sent |
 * Source: Caddy 2.11
 */
export const subroute = defineModule({
  id: "http.handlers.subroute",
  config: z.strictObject({
    routes: z.array(routeSchema).nullish().describe("Tried in order, as the routes of a server."),
    errors: z
      .strictObject({
        routes: z.array(routeSchema).nullish().describe("Tried in order; `{http.error.*}` says what failed."),
      })
      .nullish()
      .describe("What answers when one of the routes fails, before the error routes of the server."),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const routes = await loadRoutes(config.routes ?? [], context, "routes");
    if (!config.errors) {
      return {
        startsNothing: true,
        innerRoutes: [["routes", routes]],
        inRehearsal: (exchange, way) => routes.rehearse(exchange, { ...way, path: `${way.path}/routes` }),
        handle: (exchange, next) => routes.run(exchange, next),
      };
    }
    const errors = await loadRoutes(config.errors.routes ?? [], context, "errors/routes");
    return {
      startsNothing: true,
      innerRoutes: [
        ["routes", routes],
        ["errors/routes", errors],
      ],
      inRehearsal(exchange, way) {
        try {
          routes.rehearse(exchange, { ...way, path: `${way.path}/routes` });
        } catch (error) {
          if (exchange.stream.closed || error instanceof RehearsalLimit) {
            throw error;
          }
          way.rehearsal.answeredBy = undefined;
          exchange.error = HttpError.from(error);
          errors.rehearse(exchange, { ...way, path: `${way.path}/errors/routes` });
        }
      },
      handle(exchange, next) {
        let running: void | Promise<void>;
        try {
          running = routes.run(exchange, next);
        } catch (error) {
          return runErrors(errors, error, exchange, next);
        }
        return running?.catch((error: unknown) => runErrors(errors, error, exchange, next));
      },
    };
  },
});
