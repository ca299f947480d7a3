import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** A condition in CEL. Matchers are available as functions, placeholders as values. Source: cel.dev */
export const expressionMatcher = defineModule({
  id: "http.matchers.expression",
  config: z
    .union([
      z.string(),
      z.strictObject({
        expr: z.string().describe("The condition."),
        name: z.string().nullish().describe("Names the captures of regular expressions in it."),
      }),
    ])
    .describe(
      'A condition in CEL: `{http.request.uri.path}.startsWith("/a") && !method("GET")`. Matchers are functions with constant arguments.',
    ),
  async provision(config, context): Promise<HttpMatcher> {
    const { expr, name } = typeof config === "string" ? { expr: config, name: "" } : config;
    const { compileExpression } = await import("./compile-expression.ts"); // loaded on first use
    return compileExpression(expr, name ?? "", context);
  },
});
