import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { type GroupNames, type Route, routeOf } from "../routes/route.ts";
import type { DirectiveResult } from "../routes/site-results.ts";
import type { GlobalOptions } from "../sites/global-options.ts";
import type { Draft } from "../values/draft.ts";

/** State that is counted or collected over a whole file. */
export interface FileState {
  /** Tag of each certificate file: `cert0`, `cert1`. Sites that name the same file share its tag. */
  readonly certificateTags: Map<string, string>;
  /** Access logs without a name so far; they are named `log0`, `log1`. */
  logCount: number;
  /** Upstreams of all proxies: a range of ports is many. */
  upstreamCount: number;
  /** Named routes that were invoked since the caller last looked. */
  invoked: Set<string>;
}

/** Everything a directive may look at. */
export interface DirectiveContext {
  /** Over the tokens of the directive: its name, its arguments, its block. */
  readonly cursor: TokenCursor;
  /** Global options, all read before the first site. */
  readonly options: GlobalOptions;
  /** All directives, of the server's modules and of the user's. */
  readonly directives: DirectiveTable;
  /** Sets of matchers by name, `@` included. */
  readonly matchers: ReadonlyMap<string, Draft>;
  /** Makes names for groups of mutually exclusive routes. */
  readonly groups: GroupNames;
  /** Shared by all sites of the text. */
  readonly state: FileState;
  /** Files that the site was read from, sorted. */
  readonly files: readonly string[];
  /** Reads the block of a module by its namespace. */
  readonly readModule: ReadModule;
}

/** Reads a directive. @throws ServerError CONFIG_ADAPTER with file and line */
export type Directive = (context: DirectiveContext) => readonly DirectiveResult[];

/** Directives by name. */
export interface DirectiveTable {
  /** Whether a directive of the name exists. */
  has(name: string): boolean;
  /** The directive; undefined when there is none. */
  get(name: string): Directive | undefined;
}

/** The set of matchers that a token names: `*` (all), `/path` or `@name`; null when it is no matcher. */
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
 * Takes the matcher out of a directive's arguments; the cursor is then before the directive's name again.
 *
 * | text | matcher |
 * |---|---|
 * | `respond ok` | undefined |
 * | `respond * ok` | undefined, and `*` is taken out |
 * | `respond /api/* ok` | `{ "path": ["/api/*"] }` |
 * | `respond @name ok` | the set of that name |
 * @throws ServerError CONFIG_ADAPTER for a name that was not defined
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

/** One route as a directive's result. */
export function routeResult(route: Route): DirectiveResult {
  return { kind: "route", route };
}

/**
 * A directive that is one handler, with an optional matcher as its first argument.
 * @param read gets the cursor before the directive's name, the matcher taken out
 */
export function handlerDirective(read: (context: DirectiveContext) => Draft): Directive {
  return (context) => {
    context.cursor.next();
    const matcher = takeMatcher(context);
    return [routeResult(routeOf(matcher, read(context)))];
  };
}
