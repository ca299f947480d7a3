import { Http1Error } from "http-protocols/http1/http1-error";
import { ServerError } from "server-core/errors";

/** In a response, a malformed chunk is the upstream's fault; in a request it would be the client's. */
export function faultOfUpstream(error: unknown): Error {
  return error instanceof Http1Error ? new ServerError("PROXY_UPSTREAM", error.message) : (error as Error);
}
