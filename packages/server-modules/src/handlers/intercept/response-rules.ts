import { loadRoutes } from "http-engine/load-routes";
import { compileTemplate } from "http-engine/placeholders";
import { routeSchema } from "http-engine/route-config";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import { compileResponseMatcher, responseMatcherSchema } from "../../matchers/response-matcher.ts";
import type { ResponseRule } from "./response-rule.ts";

/** Rules for matching responses. Source: Caddy 2.11, `handle_response` */
export const responseRuleSchema = z.strictObject({
  match: responseMatcherSchema.nullish().describe("Responses that it is for (all)."),
  status_code: z
    .union([z.int(), z.string()])
    .nullish()
    .describe("Only another status; placeholders allowed."),
  routes: z
    .array(routeSchema)
    .nullish()
    .describe("What answers in its place; `copy_response` in them sends it after all."),
});

export type ResponseRuleConfig = z.infer<typeof responseRuleSchema>;

/**
 * Loads rules. A rule with a status has no routes; it changes only the status.
 * @throws ServerError of the routes' modules
 */
export async function loadResponseRules(
  configs: readonly ResponseRuleConfig[],
  context: ModuleContext,
): Promise<ResponseRule[]> {
  const rules: ResponseRule[] = [];
  for (const [index, each] of configs.entries()) {
    const status = String(each.status_code ?? "");
    rules.push({
      matches: compileResponseMatcher(each.match ?? {}),
      status: status === "" ? undefined : compileTemplate(status),
      routes:
        status === ""
          ? await loadRoutes(each.routes ?? [], context, `handle_response/${index}/routes`)
          : undefined,
    });
  }
  return rules;
}
