import type { Exchange } from "../exchange.ts";
import type { HttpHandler, HttpMatcher } from "../handler.ts";
import { HttpError } from "../http-error.ts";
import type { PassedRoute, RehearsedEffect, RehearsedHandler, RehearsedRoute } from "./rehearsal-request.ts";

/** Further routes that do not match are counted: a site may have thousands. */
const mostPassed = 200;
/** Routes that invoke each other would go on for ever. */
const mostRoutes = 400;

/** The rest of the way in a rehearsal, for handlers that have routes. */
export interface RehearsedWay {
  readonly rehearsal: Rehearsal;
  /** The handler's place below the app. */
  readonly path: string;
  /** Goes on behind the handler. */
  readonly next: () => void;
}

function lineOf(exchange: Exchange): { method: string; host: string; uri: string } {
  return { method: exchange.method, host: exchange.hostport, uri: `${exchange.rawPath}${exchange.query}` };
}

/** What a request meets on its way through routes, while nobody is answered. */
export class Rehearsal {
  readonly routes: RehearsedRoute[] = [];
  readonly passed: PassedRoute[] = [];
  passedCount = 0;
  answeredBy: RehearsedHandler | undefined;

  /** A route that matches. @returns notes what becomes of it */
  enter(path: string): RehearsedRoute {
    if (this.routes.length >= mostRoutes) {
      throw new HttpError(500, `more than ${mostRoutes} routes on the way: do they invoke each other?`);
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

  /** Has one handler do its part. */
  run(
    handler: HttpHandler,
    entry: Omit<RehearsedHandler, "effect">,
    route: RehearsedRoute,
    exchange: Exchange,
    next: () => void,
  ): void {
    const note = (effect: RehearsedEffect) => {
      const noted: RehearsedHandler = { ...entry, effect };
      route.handlers.push(noted);
      return noted;
    };
    const { inRehearsal } = handler;
    if (typeof inRehearsal === "function") {
      note("has routes");
      inRehearsal.call(handler, exchange, { rehearsal: this, path: entry.path, next });
    } else if (inRehearsal === "runs") {
      this.#runForTrue(handler, note, route, exchange, next);
    } else if (inRehearsal === "answers") {
      this.answeredBy = note("answers");
    } else {
      note(inRehearsal ?? "may answer");
      next();
    }
  }

  #runForTrue(
    handler: HttpHandler,
    note: (effect: RehearsedEffect) => RehearsedHandler,
    route: RehearsedRoute,
    exchange: Exchange,
    next: () => void,
  ): void {
    const before = lineOf(exchange);
    let isPassedOn = false;
    try {
      void handler.handle(exchange, () => {
        isPassedOn = true;
        note("ran");
        const after = lineOf(exchange);
        if (JSON.stringify(after) !== JSON.stringify(before)) {
          route.after = after;
        }
        next();
      });
    } catch (error) {
      if (!isPassedOn) {
        this.answeredBy = note(exchange.stream.closed ? "answers" : "fails");
      }
      throw error;
    }
    if (!isPassedOn) {
      this.answeredBy = note("answers");
    }
  }
}

/** The matcher of each set that does not match, by its place in the set; undefined where one set matches. */
export function refusals(
  sets: readonly (readonly HttpMatcher[])[],
  exchange: Exchange,
): readonly number[] | undefined {
  const refused: number[] = [];
  for (const set of sets) {
    const first = set.findIndex((matcher) => !matcher.matches(exchange));
    if (first === -1) {
      return undefined;
    }
    refused.push(first);
  }
  return refused.length === 0 ? undefined : refused;
}
