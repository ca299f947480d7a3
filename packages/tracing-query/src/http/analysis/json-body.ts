import { QueryError } from "../../query-error.ts";
import type { EndpointRequest } from "../endpoint.ts";

const bodyLimit = { bytes: 65_536 };

/** The body of a request that changes something. A page of another origin cannot send its media type unasked. */
export function jsonBody(request: EndpointRequest): Promise<Buffer> {
  if (!/^application\/json\s*(;|$)/i.test(request.contentType)) {
    throw new QueryError("QUERY_BAD_PARAMETER", "the header Content-Type is not application/json", {
      parameter: "Content-Type",
    });
  }
  return request.body(bodyLimit);
}
