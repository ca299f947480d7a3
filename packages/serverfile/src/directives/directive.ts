import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { type GroupNames, type Route, routeOf } from "../routes/route.ts";
import type { DirectiveResult } from "../routes/site-results.ts";
import type { GlobalOptions } from "../sites/global-options.ts";
import type { Draft } from "../values/draft.ts";

/** Counters and names collected over a whole file. */
export interface FileState {
  /** Tags of certificate files, by path: `cert0`, `cert1` and so on. Sites with the same file share a tag. */
  readonly certificateTags: Map<string, string>;
  /** Number of unnamed access logs so far; their names are `log0`, `log1` and so on. */
  logCount: number;
  /** Number of upstreams in all proxies. Each port of a range counts. */
  upstreamCount: number;
  /** Named routes invoked since the caller last reset the set. */
  invoked: Set<string>;
}

/** Data and functions for a directive. */
export interface DirectiveContext {
  /** Cursor over the tokens of the directive: name, arguments and block. */
  readonly cursor: TokenCursor;
  /** Global options, which are all read before the first site. */
  readonly options: GlobalOptions;
  /** All directives, from the server's modules and the user's. */
  readonly directives: DirectiveTable;
  /** Matcher sets by name, including `@`. */
  readonly matchers: ReadonlyMap<string, Draft>;
  /** Generates names for groups of mutually exclusive routes. */
  readonly groups: GroupNames;
  /** Shared by all sites of the text. */
  readonly state: FileState;
  /** Files that contain the site, sorted. */
  readonly files: readonly string[];
  /** Reads the block of a module in a given namespace. */
  readonly readModule: ReadModule;
}

/** Reads a directive. @throws ServerError CONFIG_ADAPTER with file and line */
export type Directive = (context: DirectiveContext) => readonly DirectiveResult[];

/** Directives by name. */
export interface DirectiveTable {
  has(name: string): boolean;
  /** The directive; undefined for an unknown name. */
  get(name: string): Directive | undefined;
}

/**
 * The matcher set of a token: undefined for `*`, a path for `/path`, the named set for `@name`; null for a token that
 * is no matcher.
 */
function matcherOf(context: DirectiveContext): Draft | undefined | null {
  const { value } = context.cursor;
  if (value === "*") {
    return undefined;
  }
  if (value.startsWith("/")) {
    return { path: [value] };
  }
  if (!value.startsWith("@")) {
    return null;
  }
  const named = context.matchers.get(value);
  if (named === undefined) {
    throw context.cursor.error(`unrecognized matcher name: ${value}`);
  }
  return named;
}

/**
 * Removes the matcher from a directive's arguments. Afterwards the cursor is again before the directive's name.
 *
 * | text | matcher |
 * |---|---|
 * | `respond ok` | undefined |
 * | `respond * ok` | undefined, and `*` is removed |
 * | `respond /api/* ok` | `{ "path": ["/api/*"] }` |
 * | `respond @name ok` | the set with that name |
 * @throws ServerError CONFIG_ADAPTER for an undefined name
 */
export function takeMatcher(context: DirectiveContext): Draft | undefined {
  const { cursor } = context;
  const matcher = cursor.nextArgument() ? matcherOf(context) : null;
  if (matcher !== null) {
    cursor.delete();
  }
  cursor.reset();
  return matcher ?? undefined;
}

/** Converts one route to a directive's result. */
export function routeResult(route: Route): DirectiveResult {
  return { kind: "route", route };
}

/**
 * Makes a directive from one handler, with an optional matcher as the first argument.
 * @param read called when the matcher is removed and the cursor is before the directive's name
 */
export function handlerDirective(read: (context: DirectiveContext) => Draft): Directive {
  return (context) => {
    context.cursor.next();
    const matcher = takeMatcher(context);
    return [routeResult(routeOf(matcher, read(context)))];
  };
}
