import type { HeaderList } from "../header-list.ts";

/** Topic by which a thread that serves is asked what would become of a request; it answers with a {@link RehearsalReport}. */
export const rehearsalTopic = "http.rehearsal";

/** A request that is not sent. It has no body. */
export interface RehearsalRequest {
  readonly method: string;
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

/** What a handler does in a rehearsal. */
export type RehearsedEffect =
  /** It changed the request, a variable or a field of the answer, as it would for a client. */
  | "ran"
  /** It would change the answer of a later handler. */
  | "changes the answer"
  /** It answers. */
  | "answers"
  /** It fails the request, so that error routes answer. */
  | "fails"
  /** It answers or passes the request on: a login, a limit, a cache, a module of the user's own. */
  | "may answer"
  /** Its routes are next. */
  | "has routes";

export interface RehearsedHandler {
  /** Name of the module. */
  readonly name: string;
  /** Its place below the app: `servers/s/routes/0/handle/1`. */
  readonly path: string;
  readonly effect: RehearsedEffect;
}

/** A route on the way of the request. */
export interface RehearsedRoute {
  /** Its place below the app: `servers/s/routes/0`. */
  readonly path: string;
  readonly handlers: RehearsedHandler[];
  /** The request after its handlers, where they changed it. */
  after?: { readonly method: string; readonly host: string; readonly uri: string };
}

/** A route that was tried and was not for the request. */
export interface PassedRoute {
  readonly path: string;
  /** Names of the matchers that did not match, one of each set. `group`: another route of its group was first. */
  readonly refused: readonly string[];
}

/** What would become of a request. */
export interface RehearsalReport {
  /** Name of the server that takes it; undefined where none listens there. */
  readonly server: string | undefined;
  /** Addresses where servers listen, where none takes it. */
  readonly listeners: readonly { readonly address: string; readonly tls: boolean }[];
  /** Routes that match, in their order. */
  readonly routes: readonly RehearsedRoute[];
  /** Routes that were tried and do not match: the first ones. */
  readonly passed: readonly PassedRoute[];
  readonly passedCount: number;
  /** The handler that answers for certain; undefined where none does. */
  readonly answeredBy: RehearsedHandler | undefined;
  /** The answer, where it depends on the config alone. */
  readonly status: number | undefined;
  readonly headers: HeaderList;
  /** Why the request fails, before error routes answer. */
  readonly failure: { readonly status: number; readonly message: string } | undefined;
}
