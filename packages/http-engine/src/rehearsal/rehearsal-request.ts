import type { HeaderList } from "../header-list.ts";
import type { PassedRoute, RehearsedHandler, RehearsedRoute } from "../rehearsed-way.ts";

/** Topic for a request to simulate; a serving thread answers with a {@link RehearsalReport}. */
export const rehearsalTopic = "http.rehearsal";

/** A simulated request. It has no body. */
export interface RehearsalRequest {
  readonly method: string;
  /** `https` selects a listener with TLS; no handshake is done. */
  readonly scheme: "http" | "https";
  /** Host with an optional port, as in a `Host` field: `example.com:8080`. */
  readonly hostport: string;
  /** Port at which the request would arrive; undefined: the configured port of the scheme. */
  readonly port: number | undefined;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Header fields besides `Host`. */
  readonly headers: HeaderList;
  readonly remoteAddress: string;
}

/** The routes and handlers that a simulated request reaches, and the response. */
export interface RehearsalReport {
  /** Name of the server that handles the request; undefined when no server listens at the port. */
  readonly server: string | undefined;
  /** Addresses of all listeners, when no server listens at the port; otherwise empty. */
  readonly listeners: readonly { readonly address: string; readonly tls: boolean }[];
  /** Routes that match, in the order in which they run. */
  readonly routes: readonly RehearsedRoute[];
  /** The first routes that were tried and do not match. */
  readonly passed: readonly PassedRoute[];
  /**
   * Number of all routes that do not match. A long config has thousands of routes; `passed` lists only the first routes
   * that do not match.
   */
  readonly passedCount: number;
  /** The handler that certainly answers; undefined when there is none. */
  readonly answeredBy: RehearsedHandler | undefined;
  /** Status of the response, if it depends on the config alone; otherwise undefined. */
  readonly status: number | undefined;
  /** Header fields that the response would have. */
  readonly headers: HeaderList;
  /** Error with which the request fails, before error routes answer. */
  readonly failure: { readonly status: number; readonly message: string } | undefined;
}
