import type { Exchange } from "http-engine/exchange";
import { getHeaders, type HeaderList, headerText } from "http-engine/header-list";
import { z } from "zod";
import { compileHeaderValues, headerValuesSchema } from "./header-values.ts";

/** Selects responses. Source: Caddy 2.11 */
export const responseMatcherSchema = z.strictObject({
  status_code: z.array(z.int()).nullish().describe("Statuses; one digit stands for all that begin with it."),
  headers: headerValuesSchema
    .nullish()
    .describe("Fields: all must match, each with one of its values, as in the matcher `header`."),
});

export type ResponseMatcherConfig = z.infer<typeof responseMatcherSchema>;

/** Decides from its head whether a response matches. */
export type ResponseMatcher = (status: number, headers: HeaderList, exchange: Exchange) => boolean;

/** Compiles a response matcher. Without conditions, the matcher matches every response. */
export function compileResponseMatcher(config: ResponseMatcherConfig): ResponseMatcher {
  const statuses = config.status_code ?? undefined;
  const fields = compileHeaderValues(config.headers ?? {});
  return (status, headers, exchange) =>
    (statuses === undefined ||
      statuses.some((each) => each === status || each === Math.floor(status / 100))) &&
    fields((name) => getHeaders(headers, name).map(headerText), exchange);
}
