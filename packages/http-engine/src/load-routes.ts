import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inTurn, withErrors } from "server-core/modules/in-turn";
import type { ModuleContext } from "server-core/modules/module-context";
import { type HttpHandler, type HttpMatcher, httpHandlers, httpMatchers } from "./handler.ts";
import { matchersInOrder } from "./matcher-order.ts";
import { Route } from "./route.ts";
import type { RouteConfig } from "./route-config.ts";
import type { RouteObserver } from "./route-observer.ts";
import { RouteList } from "./routes.ts";

function loadMatcherSet(
  modules: Readonly<Record<string, unknown>>,
  context: ModuleContext,
  path: string,
): HttpMatcher[] | Promise<HttpMatcher[]> {
  const names = matchersInOrder(modules);
  return inTurn(names.length, (index) => {
    const name = names[index] as string;
    return withErrors(
      () => context.provide(httpMatchers, name, modules[name] as JsonValue, `${path}/${name}`),
      (error) => errorWithin(`loading matcher modules: module name '${name}'`, error),
    );
  });
}

function loadMatchers(
  { match }: RouteConfig,
  context: ModuleContext,
  path: string,
): HttpMatcher[][] | Promise<HttpMatcher[][]> {
  const sets = match ?? [];
  return inTurn(sets.length, (position) =>
    loadMatcherSet(sets[position] ?? {}, context, `${path}/match/${position}`),
  );
}

function loadHandlers(
  { handle }: RouteConfig,
  context: ModuleContext,
  path: string,
): HttpHandler[] | Promise<HttpHandler[]> {
  const configs = handle ?? [];
  return inTurn(configs.length, (position) =>
    withErrors(
      () =>
        context.provideInline(
          httpHandlers,
          "handler",
          configs[position] as JsonValue,
          `${path}/handle/${position}`,
        ),
      (error) => errorWithin(`loading handler modules: position ${position}`, error),
    ),
  );
}

/**
 * Provisions routes; a route that an older config also had is reused.
 * @param path position of the routes below the config of the module: `servers/s/routes`
 * @param observer counts the requests of the routes
 * @throws ServerError naming route and position
 */
export async function loadRoutes(
  routes: readonly RouteConfig[],
  context: ModuleContext,
  path: string,
  observer?: RouteObserver,
): Promise<RouteList> {
  const loaded = await context.parts(routes, (route, position, inner) =>
    loadRoute(route, inner, path, position),
  );
  return new RouteList(loaded, observer);
}

function loadRoute(
  route: RouteConfig,
  context: ModuleContext,
  path: string,
  position: number,
): Route | Promise<Route> {
  const routePath = `${path}/${position}`;
  const matcherSets = withErrors(
    () => loadMatchers(route, context, routePath),
    (error) => errorWithin(`setting up route matchers: route ${position}`, error),
  );
  const withHandlers = (sets: HttpMatcher[][]): Route | Promise<Route> => {
    const handlers = withErrors(
      () => loadHandlers(route, context, routePath),
      (error) => errorWithin(`setting up route handlers: route ${position}`, error),
    );
    return handlers instanceof Promise
      ? handlers.then((made) => new Route(route, sets, made))
      : new Route(route, sets, handlers);
  };
  return matcherSets instanceof Promise ? matcherSets.then(withHandlers) : withHandlers(matcherSets);
}
