import type { TokenCursor } from "serverfile/lexer/token-cursor";
import { readResponseMatcher } from "serverfile/matchers/response-matcher";
import { type Route, routeToJson } from "serverfile/routes/route";
import { type Draft, onlyGiven } from "serverfile/values/draft";
import { statusValue } from "serverfile/values/status-value";

/** Reads the routes of the block at the cursor. */
export type RoutesReader = (cursor: TokenCursor) => readonly Route[];

/** Reads the lines of `reverse_proxy` and `intercept` that handle responses. */
export class ResponseHandlers {
  /** Matchers by name, including `@`. */
  readonly #matchers = new Map<string, Draft>();
  readonly #handlers: Draft[];
  /** Blocks of `handle_response`, read at the end because matchers may be defined after them. */
  readonly #segments: TokenCursor[] = [];

  /** @param present handlers that the directive itself adds before the blocks */
  constructor(present: readonly Draft[] = []) {
    this.#handlers = [...present];
  }

  /**
   * Reads the current line if it is `handle_response`, `replace_status` or a response matcher. @returns true when the
   * line was read. @throws ServerError CONFIG_ADAPTER
   */
  read(cursor: TokenCursor): boolean {
    if (cursor.value.startsWith("@")) {
      readResponseMatcher(cursor.segmentCursor(), this.#matchers);
    } else if (cursor.value === "handle_response") {
      this.#segments.push(cursor.segmentCursor());
    } else if (cursor.value === "replace_status") {
      this.#replaceStatus(cursor);
    } else {
      return false;
    }
    return true;
  }

  /** The matcher with the name on the line. */
  #named(cursor: TokenCursor, name: string): Draft {
    if (!name.startsWith("@")) {
      throw cursor.error("must use a named response matcher, starting with '@'");
    }
    const matcher = this.#matchers.get(name);
    if (matcher === undefined) {
      throw cursor.error(`no named response matcher defined with name '${name.slice(1)}'`);
    }
    return matcher;
  }

  /** Reads `replace_status [@matcher] status`. */
  #replaceStatus(cursor: TokenCursor): void {
    const words = cursor.remainingArguments();
    const status = words.at(-1);
    if (status === undefined || words.length > 2) {
      throw cursor.error("must have one or two arguments: an optional response matcher, and a status code");
    }
    const [name = ""] = words;
    const match = words.length === 2 ? this.#named(cursor, name) : undefined;
    if (cursor.nextInBlock(cursor.nesting)) {
      throw cursor.error("cannot define routes for 'replace_status', use 'handle_response' instead.");
    }
    this.#handlers.push(onlyGiven({ match, status_code: status === "" ? undefined : statusValue(status) }));
  }

  /** All handlers; handlers without a matcher come last. @throws ServerError CONFIG_ADAPTER */
  finish(readRoutes: RoutesReader): Draft[] {
    for (const cursor of this.#segments) {
      cursor.next();
      const words = cursor.remainingArguments();
      if (words.length > 1) {
        throw cursor.error(
          `too many arguments for 'handle_response': only a single response matcher name is allowed, but got: [${words.join(" ")}]`,
        );
      }
      const [name] = words;
      const match = name === undefined ? undefined : this.#named(cursor, name);
      const routes = readRoutes(cursor.segmentCursor());
      this.#handlers.push(onlyGiven({ match, routes: routes.map(routeToJson) }));
    }
    return [
      ...this.#handlers.filter(({ match }) => match !== undefined),
      ...this.#handlers.filter(({ match }) => match === undefined),
    ];
  }
}
