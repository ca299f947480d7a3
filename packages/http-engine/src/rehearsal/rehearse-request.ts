import type { Exchange, NamedRoute } from "../exchange.ts";
import { HttpError } from "../http-error.ts";
import type { HttpStream } from "../http-stream.ts";
import { Rehearsal, RehearsalLimit } from "../rehearsed-way.ts";
import type { RehearsalReport, RehearsalRequest } from "./rehearsal-request.ts";
import { RehearsalStream } from "./rehearsal-stream.ts";

/** The part of a server that a rehearsal uses. */
interface RehearsedServer {
  readonly routes: Pick<NamedRoute, "rehearse">;
  /** Routes of errors; undefined without any. */
  readonly errorRoutes: Pick<NamedRoute, "rehearse"> | undefined;
  /** The exchange of a request, as handlers would see it. @throws ServerError HTTP_BAD_REQUEST */
  rehearsedExchange(stream: HttpStream): Exchange;
}

function nothing(): void {}

/**
 * Simulates a request: runs it through the routes of a server without sending a response.
 * @param path position of the server below the app: `servers/s`
 * @throws RehearsalLimit
 */
export function rehearseRequest(
  server: RehearsedServer,
  request: RehearsalRequest,
  path: string,
): Omit<RehearsalReport, "server" | "listeners"> {
  const stream = new RehearsalStream(request);
  const rehearsal = new Rehearsal();
  let failure: HttpError | undefined;
  try {
    const exchange = server.rehearsedExchange(stream);
    try {
      server.routes.rehearse(exchange, { rehearsal, path: `${path}/routes`, next: nothing });
    } catch (error) {
      if (error instanceof RehearsalLimit) {
        throw error;
      }
      if (!stream.closed) {
        failure = HttpError.from(error);
        exchange.error = failure;
        exchange.restoreLine();
        rehearsal.answeredBy = undefined;
        const errors = { rehearsal, path: `${path}/errors/routes`, next: nothing };
        server.errorRoutes?.rehearse(exchange, errors);
      }
    }
  } catch (error) {
    if (error instanceof RehearsalLimit) {
      throw error;
    }
    failure ??= HttpError.from(error);
  }
  const { status, responseHeaders } = stream;
  return {
    routes: rehearsal.routes,
    passed: rehearsal.passed,
    passedCount: rehearsal.passedCount,
    answeredBy: rehearsal.answeredBy,
    status: status || undefined,
    headers: responseHeaders,
    failure: failure && { status: failure.status, message: failure.message },
  };
}
