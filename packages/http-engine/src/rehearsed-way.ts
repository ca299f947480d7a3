import { ServerError } from "server-core/errors";

/** Further routes that do not match are counted: a site may have thousands. */
const mostPassed = 200;
/** Routes that invoke each other would go on for ever. */
const mostRoutes = 400;

/** The part of a handler in a rehearsal. */
export type RehearsedEffect =
  /** It changed the request, a variable or a field of the answer, as it would for a client. */
  | "ran"
  /** It would change the answer of a later handler. */
  | "changes the answer"
  /** It answers. */
  | "answers"
  /** It fails the request, so that error routes respond. */
  | "fails"
  /** It responds or passes the request on: a login, a limit, a cache, a module of a user. */
  | "may answer"
  /** Its routes are next. */
  | "has routes";

/** A handler that a simulated request reached; it did not run. */
export interface RehearsedHandler {
  /** Name of the module. */
  readonly name: string;
  /** Its place below the app: `servers/s/routes/0/handle/1`. */
  readonly path: string;
  /** The action that the handler would have taken. */
  readonly effect: RehearsedEffect;
}

/** A route that the request reached. */
export interface RehearsedRoute {
  /** Its place below the app: `servers/s/routes/0`. */
  readonly path: string;
  /** Handlers of the route, in the order in which they would run. */
  readonly handlers: RehearsedHandler[];
  /** The request after its handlers, if they changed it. */
  after?: { readonly method: string; readonly host: string; readonly uri: string };
}

/** A route that was tried and was not for the request. */
export interface PassedRoute {
  /** Place of the route in the document. */
  readonly path: string;
  /** Names of the matchers that did not match, one of each set. `group`: another route of its group matched first. */
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

  /** Enters a matching route. @returns a record for what happens there */
  enter(path: string): RehearsedRoute {
    if (this.routes.length >= mostRoutes) {
      throw new RehearsalLimit();
    }
    const route: RehearsedRoute = { path, handlers: [] };
    this.routes.push(route);
    return route;
  }

  /** A route that does not match. */
  pass(path: string, refused: readonly string[]): void {
    this.passedCount++;
    if (this.passed.length < mostPassed) {
      this.passed.push({ path, refused });
    }
  }
}

/** The rest of the way in a simulation, for handlers with routes of their own. */
export interface RehearsedWay {
  /** Records the way while handlers run. */
  readonly rehearsal: Rehearsal;
  /** The handler's place below the app. */
  readonly path: string;
  /** Continues after the handler. */
  readonly next: () => void;
}
