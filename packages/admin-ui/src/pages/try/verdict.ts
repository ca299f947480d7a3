import { isObject } from "../../api/json-value.ts";
import type { RequestWay } from "../../api/rehearsal.ts";
import type { State } from "../../components/state-mark.tsx";

/** The result of a request in words. */
export interface Verdict {
  /** State of the result. */
  state: State;
  /** The result in a few words: `404, by file_server`. */
  title: string;
  /** An explanation; "" when the title suffices. */
  text: string;
}

/** Describes what a client would get, as far as the config alone determines it. */
export function verdictOf({ server, answered_by, status, failure, routes }: RequestWay): Verdict {
  if (server === null) {
    return {
      state: "bad",
      title: "No server listens there",
      text: "Its port, and whether it is http or https, choose the server.",
    };
  }
  if (answered_by === null) {
    return failure === null
      ? {
          state: "warning",
          title: "200 with an empty body",
          text:
            routes.length === 0
              ? `No route of the server ${server} is for it.`
              : "Routes are for it, but no handler of theirs answers.",
        }
      : {
          state: "bad",
          title: `${failure.status} with an empty body`,
          text: `It fails, and no error route answers. ${failure.message}`,
        };
  }
  const { name, config } = answered_by;
  if (config !== null && isObject(config) && config.abort === true) {
    return { state: "warning", title: "No answer", text: `${name} closes the connection.` };
  }
  const failed =
    failure === null ? "" : `It fails with ${failure.status}, and an error route answers. ${failure.message}`;
  if (status === null) {
    return {
      state: "unknown",
      title: `${name} answers`,
      text: `${failed} The config alone does not tell the status: a real request does.`.trim(),
    };
  }
  return {
    state: status >= 500 ? "bad" : status >= 400 ? "warning" : "good",
    title: `${status}, by ${name}`,
    text: failed,
  };
}
