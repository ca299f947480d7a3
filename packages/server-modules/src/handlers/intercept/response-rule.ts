import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import type { Template } from "http-engine/placeholders";
import type { RouteList } from "http-engine/routes";
import type { ResponseMatcher } from "../../matchers/response-matcher.ts";

/** A rule, ready for use. */
export interface ResponseRule {
  /** Responses that the rule takes. The first rule that matches wins. */
  readonly matches: ResponseMatcher;
  /** Template of the new status; undefined when routes answer. */
  readonly status: Template | undefined;
  /** Routes that answer in place of the response; undefined when only the status changes. */
  readonly routes: RouteList | undefined;
}

/**
 * The final status from a template; `otherwise` for the text 0. @throws HttpError 500 for any text that is not a final
 * status, also for empty text
 */
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

/** The first rule that matches a response. */
export function findRule(
  rules: readonly ResponseRule[],
  status: number,
  headers: HeaderList,
  exchange: Exchange,
): ResponseRule | undefined {
  return rules.find((rule) => rule.matches(status, headers, exchange));
}
