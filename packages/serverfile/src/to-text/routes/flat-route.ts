import type { JsonValue } from "server-core/json/json-value";

/** One handler of a route, with group and matchers of the route. */
export interface FlatRoute {
  /** Group in the config: `group0`. */
  readonly group: string | undefined;
  /** Matchers of the route; undefined for every request. */
  readonly match: JsonValue | undefined;
  readonly handler: JsonValue;
  /** Config path of the route. */
  readonly path: string;
  /** JSON path of the handler, for error messages. */
  readonly handlerPath: string;
}

/** The number in a name such as `group12`; undefined for a name in another form. */
export function groupNumber(group: string | undefined): number | undefined {
  const digits = /^group(0|[1-9]\d{0,8})$/.exec(group ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}
