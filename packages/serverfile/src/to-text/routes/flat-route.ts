import type { JsonValue } from "server-core/json/json-value";

/** One handler of a route, with what the route says. */
export interface FlatRoute {
  readonly group: string | undefined;
  readonly match: JsonValue | undefined;
  readonly handler: JsonValue;
  /** The path of the route. */
  readonly path: string;
  readonly handlerPath: string;
}
