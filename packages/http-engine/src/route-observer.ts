import { ServerError } from "server-core/errors";
import type { Exchange } from "./exchange.ts";
import { HttpError } from "./http-error.ts";
import { otherHosts, type RouteCounts, type RouteTally } from "./route-tally.ts";

/** Hosts that are counted separately in metrics. */
export interface ObservedHosts {
  /** Hosts that routes name, lower case. */
  readonly named: ReadonlySet<string>;
  /** True: plain HTTP hosts that no route names are counted separately as well; such hosts over HTTPS always are. */
  readonly others: boolean;
}

/** Data of a request, taken when it reached a route. */
interface Begun {
  readonly counts: RouteCounts;
  readonly startMs: number;
  readonly sizeBytes: number;
  readonly method: string;
}

/** Approximate size of a request by Caddy's rules: the head without separators, and the declared body. */
function requestBytes(exchange: Exchange): number {
  const { method, target, hostport, requestHeaders, stream } = exchange;
  let bytes = method.length + target.length + "HTTP/1.1".length + hostport.length + (stream.bodyLength ?? 0);
  for (let index = 0; index < requestHeaders.length; index += 2) {
    const name = requestHeaders[index] as string;
    if (name.length !== 4 || name.toLowerCase() !== "host") {
      bytes += name.length + (requestHeaders[index + 1] as string).length;
    }
  }
  return bytes;
}

/** Counts and times the requests in the routes of one server. */
export class RouteObserver {
  readonly #tally: RouteTally;
  readonly #hosts: ObservedHosts | undefined;

  constructor(tally: RouteTally, hosts: ObservedHosts | undefined) {
    this.#tally = tally;
    this.#hosts = hosts;
  }

  /**
   * Runs the handlers of a route.
   * @param handler name of the route's first handler
   * @throws any error of `run`
   */
  observe(handler: string, exchange: Exchange, run: () => void | Promise<void>): void | Promise<void> {
    const begun: Begun = {
      counts: this.#tally.counts(handler, this.#hostOf(exchange)),
      startMs: performance.now(),
      // Handlers may rewrite the request, so the size is measured before they run.
      sizeBytes: requestBytes(exchange),
      method: exchange.method,
    };
    exchange.timesHead = true;
    begun.counts.inFlight++;
    let running: void | Promise<void>;
    try {
      running = run();
    } catch (error) {
      RouteObserver.#failed(begun, exchange, error);
      throw error;
    }
    if (running === undefined) {
      RouteObserver.#ended(begun, exchange, exchange.status || 200);
      return undefined;
    }
    return running.then(
      () => RouteObserver.#ended(begun, exchange, exchange.status || 200),
      (error: unknown) => {
        RouteObserver.#failed(begun, exchange, error);
        throw error;
      },
    );
  }

  #hostOf(exchange: Exchange): string {
    const hosts = this.#hosts;
    if (hosts === undefined) {
      return "";
    }
    const { host } = exchange;
    return hosts.named.has(host) || hosts.others || exchange.scheme === "https" ? host : otherHosts;
  }

  static #failed(begun: Begun, exchange: Exchange, error: unknown): void {
    const { counts } = begun;
    const isGone = error instanceof ServerError && error.code === "CLIENT_GONE";
    if (exchange.isAborted || (exchange.headSent && !isGone)) {
      // The response was cut by the site or by a broken body, so only its start is counted, as in Caddy.
      counts.inFlight--;
      RouteObserver.#begun(begun, exchange, exchange.status);
      return;
    }
    counts.errors++;
    RouteObserver.#ended(begun, exchange, exchange.answered ? exchange.status : HttpError.from(error).status);
  }

  /** Counts the start of a response, if there was one. */
  static #begun({ counts, startMs, method }: Begun, exchange: Exchange, status: number): void {
    if (exchange.headAtMs >= startMs) {
      counts.answered(method, status).firstBytes.add((exchange.headAtMs - startMs) / 1_000);
    }
  }

  static #ended(begun: Begun, exchange: Exchange, status: number): void {
    const { counts, startMs, sizeBytes, method } = begun;
    counts.inFlight--;
    counts.requests++;
    const answered = counts.answered(method, status);
    answered.durations.add((performance.now() - startMs) / 1_000);
    RouteObserver.#begun(begun, exchange, status);
    answered.requestSizes.add(sizeBytes);
    answered.responseSizes.add(exchange.bytesSent);
  }
}
