import type { Exchange } from "http-engine/exchange";
import { compileBodyTemplate, compileTemplate } from "http-engine/placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { formatQuery, parseQuery, type QueryParameters } from "server-core/uri/query-parameters";
import type { RewriteConfig } from "./rewrite-config.ts";

/** The member `query` of the config. */
type QueryConfig = NonNullable<RewriteConfig["query"]>;
/** A change of the query parameters, made in place. */
type Change = (parameters: QueryParameters, exchange: Exchange) => void;

/** Renames a parameter and keeps all its values. An existing parameter of the new name is replaced. */
function compileRename({
  key,
  val,
}: {
  key?: string | null | undefined;
  val?: string | null | undefined;
}): Change {
  const [oldName, newName] = [compileTemplate(key ?? ""), compileTemplate(val ?? "")];
  return (parameters, exchange) => {
    const [from, to] = [oldName(exchange), newName(exchange)];
    const values = parameters.get(from);
    if (from !== "" && to !== "" && from !== to && values !== undefined) {
      parameters.delete(from);
      parameters.set(to, values);
    }
  };
}

/** Sets a parameter to one value, or adds a value. */
function compileSet(
  { key, val }: { key?: string | null | undefined; val?: string | null | undefined },
  add: boolean,
): Change {
  const [name, value] = [compileTemplate(key ?? ""), compileTemplate(val ?? "")];
  return (parameters, exchange) => {
    const found = name(exchange);
    if (found !== "") {
      const before = add ? (parameters.get(found) ?? []) : [];
      parameters.set(found, [...before, value(exchange)]);
    }
  };
}

/** Replaces text in the values of a parameter; `*` means all parameters. */
function compileReplace(config: NonNullable<QueryConfig["replace"]>[number]): Change {
  const name = compileTemplate(config.key ?? "");
  const regexp = config.search_regexp ? new LinearRegexp(config.search_regexp) : undefined;
  const search = compileBodyTemplate(config.search ?? "");
  const replace = compileBodyTemplate(config.replace ?? "");
  return (parameters, exchange) => {
    const wanted = name(exchange);
    const [from, to] = [search(exchange), replace(exchange)];
    for (const [found, values] of parameters) {
      if (wanted === "*" || wanted === found) {
        parameters.set(
          found,
          values.map((value) =>
            regexp !== undefined
              ? regexp.replaceAll(value, to)
              : from === ""
                ? value
                : value.split(from).join(to),
          ),
        );
      }
    }
  };
}

/**
 * Compiles changes of query parameters. `rename a→b`, then `set c=1`, on `?a=2&d=3` gives `?b=2&c=1&d=3`.
 * @returns a function that computes the new query with its `?` and sorted names; "" without parameters
 * Source: Caddy 2.11, observed output
 */
export function compileQueryChanges(config: QueryConfig): (exchange: Exchange) => string {
  const changes: Change[] = [
    ...(config.rename ?? []).map(compileRename),
    ...(config.set ?? []).map((each) => compileSet(each, false)),
    ...(config.add ?? []).map((each) => compileSet(each, true)),
    ...(config.replace ?? []).map(compileReplace),
    ...(config.delete ?? []).map(compileTemplate).map(
      (name): Change =>
        (parameters, exchange) => {
          const found = name(exchange);
          if (found !== "") {
            parameters.delete(found);
          }
        },
    ),
  ];
  return (exchange) => {
    const { parameters } = parseQuery(exchange.query);
    for (const change of changes) {
      change(parameters, exchange);
    }
    const query = formatQuery(
      new Map([...parameters].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))),
    );
    // A `?` with an empty query stays, as the client sent it.
    return query === "" && exchange.query === "?" ? "?" : query;
  };
}
