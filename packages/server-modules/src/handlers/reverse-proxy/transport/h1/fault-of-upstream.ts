import { Http1Error } from "http-protocols/http1/http1-error";
import { ServerError } from "server-core/errors";

/** A malformed chunk is the upstream's fault here, not the client's as in a request. */
export function faultOfUpstream(error: unknown): Error {
  return error instanceof Http1Error ? new ServerError("PROXY_UPSTREAM", error.message) : (error as Error);
}
