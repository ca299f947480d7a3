import { OwnSpan } from "../own-span.ts";
import { parseTraceparent } from "../trace-context.ts";
import type { RequestHeaders, Tracer } from "./tracer.ts";

/** The tracer of this process; undefined: this process sends no spans. A process has only one tracer. */
let processTracer: Tracer | undefined;

/** Sets the process's tracer for the servers of {@link traceRequests}. @param tracer undefined: removes the tracer */
export function useTracer(tracer: Tracer | undefined): void {
  processTracer = tracer;
}

/** True when the process sends spans of its own requests. */
export function hasTracer(): boolean {
  return processTracer !== undefined;
}

/** A request of `node:http`, or of a server of our own. */
interface TracedRequest {
  /** Fields by name in lower case. */
  readonly headers: RequestHeaders;
}

interface TracedResponse {
  /** Status of the response, once it is sent. */
  readonly statusCode: number;
  /** Calls back when the response is sent, or can no longer be sent. */
  once(event: "close", listener: () => void): unknown;
}

/** A span that is never sent; it gives log lines the IDs of the client's span. */
function spanOfClient(request: TracedRequest): OwnSpan | undefined {
  const context = parseTraceparent(request.headers.traceparent as string | undefined);
  return context && new OwnSpan(undefined, "server", context);
}

/**
 * Wraps a listener so that its requests become spans. This needs a tracer in the process, and a listener that describes
 * its requests (`activeSpan`). Without a tracer, log lines of a request get the IDs in the client's `traceparent`.
 */
export function traceRequests<Request extends TracedRequest, Response extends TracedResponse>(
  listener: (request: Request, response: Response) => void,
): (request: Request, response: Response) => void {
  return (request, response) => {
    if (processTracer === undefined) {
      if (request.headers.traceparent === undefined) {
        listener(request, response);
        return;
      }
      const span = spanOfClient(request);
      if (span === undefined) {
        listener(request, response);
      } else {
        span.run(() => listener(request, response));
      }
      return;
    }
    const span = processTracer.startRequest(request.headers);
    response.once("close", () => {
      const { statusCode } = response;
      span.end(statusCode >= 500, { "http.response.status_code": statusCode });
    });
    span.run(() => listener(request, response));
  };
}
