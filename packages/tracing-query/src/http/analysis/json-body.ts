import { QueryError } from "../../query-error.ts";
import type { EndpointRequest } from "../endpoint.ts";

const bodyLimit = { bytes: 65_536 };

/** Reads the body of a changing request. Other origins cannot send this media type without a preflight. */
export function jsonBody(request: EndpointRequest): Promise<Buffer> {
  if (!/^application\/json\s*(;|$)/i.test(request.contentType)) {
    throw new QueryError("QUERY_BAD_PARAMETER", "the header Content-Type is not application/json", {
      parameter: "Content-Type",
    });
  }
  return request.body(bodyLimit);
}
