import { type SpanKind, spanKinds } from "wire/model";
import { goJson } from "../go-text/quote.ts";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import type { AdmittedRead, Endpoint } from "./endpoint.ts";
import { envelope } from "./envelope.ts";

/** A list of names; an empty list is `null`, as in Jaeger. */
function namesEnvelope(names: readonly string[], { reasons }: AdmittedRead): Iterable<string> {
  return envelope([names.length === 0 ? "null" : goJson(names)], { total: names.length, reasons });
}

/** True for a span kind in lower case. */
function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/**
 * `GET /api/services`, in the form of Jaeger 1.62. It takes no parameters.
 *
 * ```
 * {"data":["db","shop"],"total":2,"limit":0,"offset":0,"errors":null}
 * ```
 */
export function servicesEndpoint(service: QueryService): Endpoint {
  return async ({ read }) => namesEnvelope(await service.names.getServices(read), read);
}

/**
 * `GET /api/services/{service}/operations`: operation names of all kinds, without the kinds. `data` is `null` for an
 * unknown service.
 *
 * ```
 * {"data":["GET /"],"total":1,"limit":0,"offset":0,"errors":null}
 * ```
 */
export function operationNamesEndpoint(service: QueryService): Endpoint {
  return async ({ pathPart, read }) => {
    const operations = await service.names.getOperations(pathPart("service"), undefined, read);
    return namesEnvelope([...new Set(operations.map(({ name }) => name))], read);
  };
}

/**
 * `GET /api/operations?service=[&spanKind=]`: names with their kinds, in the form of Jaeger 1.62.
 *
 * ```
 * GET /api/operations?service=shop
 * {"data":[{"name":"GET /","spanKind":"server"}],"total":1,"limit":0,"offset":0,"errors":null}
 * ```
 *
 * Errors: 400 `parameter 'service' is required`. An unknown kind finds nothing, but is not an error.
 */
export function operationsEndpoint(service: QueryService): Endpoint {
  return async ({ params, read }) => {
    const name = params.get("service") ?? "";
    if (name === "") {
      throw new QueryError("QUERY_BAD_PARAMETER", "parameter 'service' is required");
    }
    const kind = params.get("spanKind") ?? "";
    if (kind !== "" && !isSpanKind(kind)) {
      return envelope(["[]"]); // No span has this kind.
    }
    const operations = await service.names.getOperations(name, kind === "" ? undefined : kind, read);
    const data = operations.map((operation) => ({ name: operation.name, spanKind: operation.spanKind }));
    return envelope([goJson(data)], { total: data.length, reasons: read.reasons });
  };
}
