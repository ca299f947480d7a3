import type { HeaderList } from "../header-list.ts";
import type { PassedRoute, RehearsedHandler, RehearsedRoute } from "../rehearsed-way.ts";

/** Topic by which a thread that serves is asked what would become of a request; it answers with a {@link RehearsalReport}. */
export const rehearsalTopic = "http.rehearsal";

/** A request that is not sent. It has no body. */
export interface RehearsalRequest {
  /** Method of the request to rehearse. */
  readonly method: string;
  /** `https` takes the server that has TLS; no handshake is done. */
  readonly scheme: "http" | "https";
  /** As in a `Host` field: `example.com:8080`. */
  readonly hostport: string;
  /** Where it would arrive; undefined: the port of the scheme. */
  readonly port: number | undefined;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Further fields. */
  readonly headers: HeaderList;
  /** Address of the client. */
  readonly remoteAddress: string;
}

/** The way of a request that is not sent, and its end. */
export interface RehearsalReport {
  /** Name of the server that takes it; undefined where none listens there. */
  readonly server: string | undefined;
  /** Addresses where servers listen, where none takes it. */
  readonly listeners: readonly { readonly address: string; readonly tls: boolean }[];
  /** Routes that match, in their order. */
  readonly routes: readonly RehearsedRoute[];
  /** Routes that were tried and do not match: the first ones. */
  readonly passed: readonly PassedRoute[];
  /** Number of all routes that do not match: a long config has thousands, of which `passed` lists the first. */
  readonly passedCount: number;
  /** The handler that answers for certain; undefined where none does. */
  readonly answeredBy: RehearsedHandler | undefined;
  /** The answer, where it depends on the config alone. */
  readonly status: number | undefined;
  /** Header fields that the answer would have. */
  readonly headers: HeaderList;
  /** Why the request fails, before error routes answer. */
  readonly failure: { readonly status: number; readonly message: string } | undefined;
}
