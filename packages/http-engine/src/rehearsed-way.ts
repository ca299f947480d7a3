import { ServerError } from "server-core/errors";

/** Maximum number of listed routes that do not match. Further routes are only counted: a site may have thousands. */
const mostPassed = 200;
/**
 * Maximum number of matching routes in one rehearsal; more are an error. Without this limit, routes that invoke each
 * other would run for ever.
 */
const mostRoutes = 400;

/** Effect of a handler on a simulated request. */
export type RehearsedEffect =
  /** The handler changed the request, a variable or a field of the answer, as it would for a client. */
  | "ran"
  /** The handler would change the answer of a later handler. */
  | "changes the answer"
  /** The handler answers the request. */
  | "answers"
  /** The handler fails the request, so that error routes respond. */
  | "fails"
  /** The handler responds or passes the request on: a login, a limit, a cache, a user module. */
  | "may answer"
  /** The inner routes of the handler are recorded next. */
  | "has routes";

/**
 * A handler that a simulated request reached. The handler itself ran only if its effect is `ran`, `fails` or `answers`.
 */
export interface RehearsedHandler {
  /** Name of the module. */
  readonly name: string;
  /** Position of the handler below the app: `servers/s/routes/0/handle/1`. */
  readonly path: string;
  /** The action that the handler took, or would take for a client. */
  readonly effect: RehearsedEffect;
}

/** A route that the request reached. */
export interface RehearsedRoute {
  /** Position of the route below the app: `servers/s/routes/0`. */
  readonly path: string;
  /** Handlers of the route, in the order in which they would run. */
  readonly handlers: RehearsedHandler[];
  /** The request after its handlers, if they changed it. */
  after?: { readonly method: string; readonly host: string; readonly uri: string };
}

/** A route that was tried and did not match. */
export interface PassedRoute {
  /** Position of the route below the app: `servers/s/routes/0`. */
  readonly path: string;
  /** Names of the matchers that did not match, one per set. `group`: an earlier route of the same group matched. */
  readonly refused: readonly string[];
}

/** Ends a simulation whose record becomes too long. A real request may still get a response. */
export class RehearsalLimit extends ServerError {
  constructor() {
    super("ADMIN_REQUEST", `more than ${mostRoutes} routes are on the way; do some invoke each other?`);
  }
}

/** Records the way of a request through routes, without any response to a client. */
export class Rehearsal {
  readonly routes: RehearsedRoute[] = [];
  readonly passed: PassedRoute[] = [];
  passedCount = 0;
  answeredBy: RehearsedHandler | undefined;

  /** Enters a matching route. @returns a record for the handlers of the route */
  enter(path: string): RehearsedRoute {
    if (this.routes.length >= mostRoutes) {
      throw new RehearsalLimit();
    }
    const route: RehearsedRoute = { path, handlers: [] };
    this.routes.push(route);
    return route;
  }

  /** Records a route that does not match. */
  pass(path: string, refused: readonly string[]): void {
    this.passedCount++;
    if (this.passed.length < mostPassed) {
      this.passed.push({ path, refused });
    }
  }
}

/** The remaining way in a simulation, for handlers that have inner routes. */
export interface RehearsedWay {
  /** Records the way while handlers run. */
  readonly rehearsal: Rehearsal;
  /** Position of the handler below the app. */
  readonly path: string;
  /** Continues after the handler. */
  readonly next: () => void;
}
