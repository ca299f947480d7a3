import { spanKinds } from "wire/model";
import { z } from "zod";
import { adjustedCallsSchema, adjustedParam } from "./adjusted-json.ts";
import { envelopeSchema } from "./envelope-schema.ts";
import type { OperationDescription } from "./openapi/operation.ts";

// A list of names in Jaeger's envelope: `{"data":["db","shop"],"total":2,"limit":0,"offset":0,"errors":null}`.
const namesSchema = envelopeSchema(z.array(z.string()).nullable().describe("null when there are none.")).meta(
  {
    id: "Names",
  },
);

// Fields that all these endpoints share.
const shared = { method: "GET", failures: "envelope" } as const;

/** Descriptions of the endpoints in `name-endpoints.ts` and `dependencies-endpoint.ts`. */
export const nameOperations: readonly OperationDescription[] = [
  {
    ...shared,
    path: "/api/services",
    id: "getServices",
    summary: "Names of services",
    answer: { contentType: "application/json", schema: namesSchema },
    failureStatuses: [],
    example: {},
  },
  {
    ...shared,
    path: "/api/services/:service/operations",
    id: "getOperationNames",
    summary: "Names of a service's operations, of all kinds",
    pathParts: z.strictObject({ service: z.string() }),
    answer: { contentType: "application/json", schema: namesSchema },
    failureStatuses: [400],
    example: { path: { service: "shop" } },
  },
  {
    ...shared,
    path: "/api/operations",
    id: "getOperations",
    summary: "A service's operations with their kinds",
    query: z.object({
      service: z.string(),
      spanKind: z.enum(spanKinds).optional().describe("Only this kind."),
    }),
    answer: {
      contentType: "application/json",
      schema: envelopeSchema(z.array(z.strictObject({ name: z.string(), spanKind: z.enum(spanKinds) }))).meta(
        {
          id: "Operations",
        },
      ),
    },
    failureStatuses: [400],
    example: { query: { service: "shop" } },
    failingExample: { status: 400, request: {} },
  },
  {
    ...shared,
    path: "/api/dependencies",
    id: "getDependencies",
    summary: "Which service calls which",
    query: z.object({
      endTs: z.int().optional().describe("End, milliseconds since the Unix epoch; now by default."),
      lookback: z.int().optional().describe("So many milliseconds before it; a day by default."),
      service: z.string().optional().describe("Only calls of this service, or to it."),
      adjusted: adjustedParam,
    }),
    answer: {
      contentType: "application/json",
      schema: envelopeSchema(
        z.array(
          z.strictObject({
            parent: z.string(),
            child: z.string(),
            callCount: z.int(),
            adjusted: adjustedCallsSchema.optional(),
          }),
        ),
      ).meta({ id: "Dependencies" }),
    },
    failureStatuses: [400, 501],
    example: { query: { lookback: "3600000" } },
    failingExample: { status: 400, request: { query: { lookback: "an hour" } } },
  },
];
