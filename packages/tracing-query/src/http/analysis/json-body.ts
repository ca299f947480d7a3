import { QueryError } from "../../query-error.ts";
import type { EndpointRequest } from "../endpoint.ts";

const bodyLimit = { bytes: 65_536 };

/** Reads the JSON body of a request that changes data. Other origins cannot send JSON without a preflight. */
export function jsonBody(request: EndpointRequest): Promise<Buffer> {
  if (!/^application\/json\s*(;|$)/i.test(request.contentType)) {
    throw new QueryError("QUERY_BAD_PARAMETER", "the header Content-Type is not application/json", {
      parameter: "Content-Type",
    });
  }
  return request.body(bodyLimit);
}
