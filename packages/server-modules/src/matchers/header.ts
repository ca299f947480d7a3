import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { compileHeaderValues, headerValuesSchema } from "./header-values.ts";
import { requestFieldValues } from "./request-fields.ts";

/** `Host` is the request's authority with its port, also over HTTP/2. */
export const headerMatcher = defineModule({
  id: "http.matchers.header",
  config: headerValuesSchema.describe(
    "Fields of the request: all must match, each with one of its values. `*` at an end of a value is any text, `[]` any value, null asks for absence.",
  ),
  provision(config): HttpMatcher {
    const test = compileHeaderValues(config);
    return {
      matches: (exchange) => test((name) => requestFieldValues(exchange, name), exchange),
    };
  },
});
