import { z } from "zod";
import { envelopeSchema } from "../envelope-schema.ts";
import { problemSchema } from "../problem.ts";
import type { FailureKind } from "./operation.ts";

export interface FailureBody {
  readonly contentType: string;
  /** The schema of a JSON body; absent for a text body. */
  readonly schema?: z.ZodType;
}

const textType = "text/plain; charset=utf-8";

const errorEnvelope = envelopeSchema(z.null()).meta({ id: "ErrorEnvelope" });

const gatewayError = z
  .strictObject({ error: z.strictObject({ httpCode: z.int(), message: z.string() }) })
  .meta({ id: "GatewayError" });

/** The body of a failure in each group of operations. */
export const failureBodies: Readonly<Record<FailureKind, FailureBody>> = {
  envelope: { contentType: textType, schema: errorEnvelope },
  gateway: { contentType: textType, schema: gatewayError },
  problem: { contentType: "application/problem+json", schema: problemSchema },
  text: { contentType: textType },
};

/** The meaning of each status, the same for all operations. */
export const statusMeanings: Readonly<Record<number, string>> = {
  400: "A parameter is missing, malformed or past a limit.",
  401: "Tenancy is on, and the request names no tenant that is served; or there are roles, and it does not say who it is.",
  403: "The role of the request does not allow it.",
  404: "There is no such trace.",
  413: "The body, or the answer, would be past a limit.",
  500: "The request cannot be read, or the server fails.",
  501: "The server's store, or its source of metrics, cannot answer this.",
  503: "The store is away, or too much is asked at once: try again after `Retry-After`.",
};
