import type { HttpMatcher } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { compilePathPattern } from "./path-pattern.ts";

/**
 * | Pattern | Matches |
 * |---|---|
 * | `/a` | only `/a` |
 * | `/a*` | `/a`, `/ab`, `/a/b` |
 * | `*.php` | every path with that ending |
 * | `*mid*` | every path that contains `mid` |
 * | `/a/*.txt` | `/a/b.txt`, but not `/a/b/c.txt` |
 */
export const pathMatcher = defineModule({
  id: "http.matchers.path",
  config: z
    .array(z.string())
    .describe(
      "Path patterns; a request matches when any of them does. `*` at an end is any text, elsewhere any within one segment; placeholders allowed.",
    ),
  provision(patterns): HttpMatcher {
    const tests = patterns.filter((text) => !text.includes("{")).map(compilePathPattern);
    const templates = patterns.filter((text) => text.includes("{")).map(compileTemplate);
    return {
      matches: (exchange) =>
        tests.some((test) => test(exchange)) ||
        templates.some((template) => compilePathPattern(template(exchange))(exchange)),
    };
  },
});
