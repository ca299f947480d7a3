import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { loadRoutes, type RouteList, routeSchema } from "http-engine/routes";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import {
  compileResponseMatcher,
  type ResponseMatcher,
  responseMatcherSchema,
} from "../../matchers/response-matcher.ts";

/** Rules for matching responses. Source: the public model (Caddy 2.11), `handle_response` */
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

/** The config after validation. */
export type ResponseRuleConfig = z.infer<typeof responseRuleSchema>;

/** A rule, ready for use. */
export interface ResponseRule {
  /** Responses that the rule takes. The first rule that matches wins. */
  readonly matches: ResponseMatcher;
  /** Undefined where routes answer. */
  readonly status: Template | undefined;
  /** Routes that answer instead; undefined when only the status changes. */
  readonly routes: RouteList | undefined;
}

/**
 * A rule with a status has no routes: the status is all that it changes.
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

/** Final status from a template; 0 keeps the status. @throws HttpError 500 for other text, also for empty text */
export function statusFrom(template: Template, exchange: Exchange, otherwise: number): number {
  const text = template(exchange);
  if (text === "0") {
    return otherwise;
  }
  if (!/^[2-9]\d\d$/.test(text)) {
    throw new HttpError(500, `status_code ${JSON.stringify(text)} is not a final status, 200 to 999`);
  }
  return Number(text);
}

/** The first rule for a response. */
export function findRule(
  rules: readonly ResponseRule[],
  status: number,
  headers: HeaderList,
  exchange: Exchange,
): ResponseRule | undefined {
  return rules.find((rule) => rule.matches(status, headers, exchange));
}
