import type { UpstreamRequest } from "./transport.ts";

/** Safe methods. Source: RFC 9110, section 9.2.1 */
const safeMethod = /^(?:GET|HEAD|OPTIONS|TRACE)$/;
/** By sending this field, the client promises that a repetition is harmless. Source: Go's net/http */
const idempotencyKey = /^(?:X-)?Idempotency-Key$/i;

/** True when sending the request twice is harmless. Source: Go's net/http, `Request.isReplayable` */
export function isReplayable({ body, upgrade, method, headers }: UpstreamRequest): boolean {
  return (
    body === undefined &&
    upgrade === "" &&
    (safeMethod.test(method) || headers.some((each, index) => index % 2 === 0 && idempotencyKey.test(each)))
  );
}
