import type { Exchange } from "../exchange.ts";
import type { HttpHandler, HttpMatcher } from "../handler.ts";
import type { RehearsedEffect, RehearsedHandler, RehearsedRoute, RehearsedWay } from "../rehearsed-way.ts";

/** A handler that the simulated request reaches. */
interface Step {
  /** The handler whose effect is recorded. The handler itself runs only if its `inRehearsal` is `runs`. */
  readonly handler: HttpHandler;
  /** Module name of the handler. */
  readonly name: string;
  /** Record of the route, to which the handler's effect is added. */
  readonly route: RehearsedRoute;
  /** The remaining simulation after this handler. */
  readonly way: RehearsedWay;
}

function lineOf(exchange: Exchange): { method: string; host: string; uri: string } {
  return { method: exchange.method, host: exchange.hostport, uri: `${exchange.rawPath}${exchange.query}` };
}

/** Simulates one handler. @throws HttpError of this handler or of a later handler */
export function rehearseHandler(exchange: Exchange, step: Step): void {
  const { handler, name, route, way } = step;
  const note = (effect: RehearsedEffect): RehearsedHandler => {
    const noted: RehearsedHandler = { name, path: way.path, effect };
    route.handlers.push(noted);
    return noted;
  };
  const { inRehearsal } = handler;
  if (typeof inRehearsal === "function") {
    note("has routes");
    inRehearsal.call(handler, exchange, way);
  } else if (inRehearsal === "runs") {
    runHandler(exchange, step, note);
  } else if (inRehearsal === "answers") {
    way.rehearsal.answeredBy = note("answers");
  } else {
    note(inRehearsal ?? "may answer");
    way.next();
  }
}

function runHandler(
  exchange: Exchange,
  { handler, route, way }: Step,
  note: (effect: RehearsedEffect) => RehearsedHandler,
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
      way.next();
    });
  } catch (error) {
    if (!isPassedOn) {
      way.rehearsal.answeredBy = note(exchange.stream.closed ? "answers" : "fails");
    }
    throw error;
  }
  if (!isPassedOn) {
    way.rehearsal.answeredBy = note("answers");
  }
}

/** Index of the first matcher of each set that does not match; undefined when a set matches. */
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
