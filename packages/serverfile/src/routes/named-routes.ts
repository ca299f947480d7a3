import { ServerError } from "server-core/errors";
import { type Draft, setMember } from "../values/draft.ts";
import { type Route, routeToJson } from "./route.ts";

/**
 * The named routes of a file.
 * `&(name) { … }` defines a named route, and `invoke name` runs it.
 */
export class NamedRoutes {
  readonly #routes = new Map<string, { readonly route: Route; readonly invokes: readonly string[] }>();

  /**
   * @param invokes other named routes that the route invokes. @throws ServerError CONFIG_ADAPTER for a repeated name
   */
  add(name: string, route: Route, invokes: readonly string[]): void {
    if (this.#routes.has(name)) {
      throw new ServerError("CONFIG_ADAPTER", `cannot have duplicate named_routes: ${name}`);
    }
    this.#routes.set(name, { route, invokes });
  }

  /**
   * These named routes and all routes that they invoke, as JSON by name; undefined without routes.
   * @throws ServerError CONFIG_ADAPTER for an undefined name
   */
  used(names: readonly string[]): Draft | undefined {
    if (names.length === 0) {
      return undefined;
    }
    const used: Draft = {};
    const open = [...names];
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      if (Object.hasOwn(used, name)) {
        continue;
      }
      const found = this.#routes.get(name);
      if (found === undefined) {
        throw new ServerError("CONFIG_ADAPTER", `cannot invoke named route '${name}', which was not defined`);
      }
      setMember(used, name, routeToJson(found.route));
      open.push(...found.invokes);
    }
    return used;
  }
}
