import { HttpError } from "http-engine/http-error";
import { messageOf, type ServerErrorCode } from "server-core/errors";
import type { CallStage } from "./transport/transport.ts";
import type { Upstream } from "./upstream.ts";

/** Status for a failed upstream. */
const badGateway = 502;
const gatewayTimeout = 504;

/** A failed attempt. */
export class ProxyFailure extends HttpError {
  override readonly code: ServerErrorCode = "PROXY_UPSTREAM";
  /**
   * Stage that the attempt reached. After `dial`, a different upstream may be tried without any setting; after
   * `response`, no further attempt is made.
   */
  readonly stage: CallStage;
  /** True for a time limit: the client gets 504 instead of 502. */
  readonly timedOut: boolean;

  /** @param timedOut true: the upstream was too slow, and the client gets 504 */
  constructor(stage: CallStage, upstream: Upstream, cause: unknown, timedOut = false) {
    super(timedOut ? gatewayTimeout : badGateway, `upstream ${upstream.address}: ${messageOf(cause)}`, {
      cause,
    });
    this.stage = stage;
    this.timedOut = timedOut;
  }

  /** The kind of failure for the header field `Proxy-Status`. Source: RFC 9209, section 2.3 */
  get statusKind(): string {
    const { code } = (this.cause ?? {}) as NodeJS.ErrnoException;
    if (this.timedOut) {
      return "http_response_timeout";
    }
    switch (code) {
      case "ECONNREFUSED":
        return "connection_refused";
      case "ENOTFOUND":
      case "EAI_AGAIN":
        return "dns_error";
      case "EHOSTUNREACH":
      case "ENETUNREACH":
        return "destination_ip_unroutable";
      default:
        return this.stage === "dial" ? "destination_unavailable" : "connection_terminated";
    }
  }
}

/** A response that `retry_match` rejects, so that a different upstream is tried. */
export class RetryableResponse extends HttpError {
  constructor(upstream: Upstream, status: number) {
    super(badGateway, `upstream ${upstream.address}: its response with ${status} matched retry_match`);
  }
}
