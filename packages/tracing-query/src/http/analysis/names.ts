import { z } from "zod";
import { matchingNames } from "../../service/matching-names.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";

// Without `service` the answer lists service names, with `service` its operations.
const paramsSchema = z.strictObject({
  service: z.string().max(4_096).optional().describe("Its operations are listed; services when absent."),
  contains: z.string().max(4_096).default("").describe("Only names with this part, in any case."),
  limit: z.int().min(1).max(1_000).default(50).describe("Most names in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Names before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

const answerSchema = z
  .strictObject({
    total: z.int().describe("Names that match, on all pages."),
    names: z
      .array(z.string())
      .describe(
        "The whole name first, then names that begin with the part, then names in which a word does.",
      ),
  })
  .meta({ id: "MatchingNames" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const namesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/names",
  id: "findNames",
  summary: "Names of services, or of a service's operations, found by a part and in pages",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400],
  example: { query: { contains: "sh" } },
  failingExample: { status: 400, request: { query: { limit: "0" } } },
};

/**
 * `GET …/names`: names that contain a text, the best match first. It works with every store. Jaeger's `/api/services`
 * returns all names in one answer.
 *
 * ```
 * GET …/names?contains=sh
 * {"total": 1, "names": ["shop"]}
 * ```
 *
 * Errors: 400 for a parameter, such as `limit=0`.
 */
export function namesEndpoint({ names }: QueryService): Endpoint {
  return async ({ params, read }) => {
    const { service, contains, ...page } = readParams(params);
    const all =
      service === undefined
        ? await names.getServices(read)
        : // An operation may have several span kinds.
          [...new Set((await names.getOperations(service, undefined, read)).map(({ name }) => name))];
    const { total, names: found } = matchingNames(all, contains, page);
    const answer: z.output<typeof answerSchema> = { total, names: [...found] };
    return [JSON.stringify(answer)];
  };
}
