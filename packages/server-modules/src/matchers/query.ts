import type { HttpMatcher } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { parseQuery } from "server-core/uri/query-parameters";
import { z } from "zod";

/** A malformed query matches no parameter. */
export const queryMatcher = defineModule({
  id: "http.matchers.query",
  config: z
    .record(z.string(), z.array(z.string()).nullable())
    .describe(
      "Query parameters: every name must be there with one of its values; `*` is any value. An empty object matches requests without parameters.",
    ),
  provision(config): HttpMatcher {
    const wanted = Object.entries(config).map(([name, values]) => ({
      name: compileTemplate(name),
      values: (values ?? []).map(compileTemplate),
    }));
    return {
      matches(exchange) {
        const { parameters, whole } = parseQuery(exchange.query);
        if (wanted.length === 0) {
          return parameters.size === 0;
        }
        return (
          whole &&
          wanted.every(({ name, values }) => {
            const found = parameters.get(name(exchange));
            return (
              found !== undefined &&
              values.some((template) => {
                const value = template(exchange);
                return value === "*" || found.includes(value);
              })
            );
          })
        );
      },
    };
  },
});
