// Writes lists of routes. Each route with one handler becomes a directive, unless a directive combines several routes:
//
// | routes | text |
// |---|---|
// | `{ handler: "subroute" }` in a group | `handle`, or `handle_path` if it first strips its path prefix |
// | the only plain subroute of its list | `handle` if sorting keeps its order, otherwise `route` |
// | any other subroute | `route` |
// | routes that a `RunWriter` recognizes | `try_files`, `php_fastcgi`, `forward_auth` |
// | any other handler | the directive that its module writes |

import { isDeepStrictEqual } from "node:util";
import { isJsonArray, type JsonValue } from "server-core/json/json-value";
import type { Route } from "../../routes/route.ts";
import { inexpressible } from "../inexpressible.ts";
import { hasOnly, objectsOf, textsOf, valueAt } from "../json-lists.ts";
import { given, type Line, textOf, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import { type FlatRoute, groupNumber } from "./flat-route.ts";
import type { HandlerWriters, RunWriter, WriteContext, Written, WrittenRun } from "./handler-writer.ts";
import type { OrderNeeds } from "./order-needs.ts";
import { RouteBlock, type Statement, withOlderNames } from "./route-block.ts";

/**
 * Directives whose only argument is never read as a matcher. `root * /srv` needs the `*`; `root /srv` sets the root for
 * all requests.
 */
const loneArgument = new Set(["root", "rewrite"]);
/** Directives whose words already include the matcher. */
const noMatcher = new Set(["handle_path", "try_files"]);

/** Splits routes into routes with one handler each, which is the form that directives create. */
export function flatten(routes: JsonValue | undefined, path: string): FlatRoute[] {
  if (routes === undefined) {
    return [];
  }
  if (!isJsonArray(routes)) {
    throw inexpressible(path, "a list is expected");
  }
  return routes.flatMap((each, index) => {
    const route = new Members(each, `${path}/${index}`);
    const group = route.text("group");
    const match = route.take("match");
    const handlers = route.list("handle") ?? [];
    if (group !== undefined && groupNumber(group) === undefined) {
      throw inexpressible(route.pathOf("group"), "groups are called group0, group1 and so on");
    }
    if (route.look("terminal") !== undefined) {
      throw inexpressible(route.pathOf("terminal"), "only the routes of whole sites are terminal");
    }
    route.done("a route");
    if (handlers.length === 0) {
      throw inexpressible(route.path, "a route has a handler");
    }
    return handlers.map((handler, at): FlatRoute => {
      return { group, match, handler, path: route.path, handlerPath: `${route.path}/handle/${at}` };
    });
  });
}

/** Options for all lists of routes in a config. */
export interface RouteWriterOptions {
  readonly hiddenFile: string;
  readonly order: OrderNeeds;
  readonly writers: HandlerWriters;
}

/** Writes the route lists of one site. */
export class RouteWriter {
  readonly #context: WriteContext;
  readonly #order: OrderNeeds;
  readonly #writers: HandlerWriters;

  constructor(matchers: WriteContext["matchers"], { hiddenFile, order, writers }: RouteWriterOptions) {
    this.#writers = writers;
    this.#order = order;
    this.#context = {
      matchers,
      matcherLines: writers.matcherLines,
      hiddenFile,
      sortedRoutes: (routes, path) => this.sorted(routes, path),
      routesInOrder: (routes, path) => this.#block(flatten(routes, path), false),
    };
  }

  /** The definitions of the matchers in all written routes. */
  get definitions(): readonly Line[] {
    return this.#context.matchers.definitions;
  }

  /** Writes a block whose directives the reader will sort. */
  sorted(routes: JsonValue | undefined, path: string): RouteBlock {
    const block = this.#block(flatten(routes, path), true);
    this.#order.need(block.statements.map(({ directive }) => directive));
    return block;
  }

  /** Writes a list of routes. @param isSorted true when the reader will sort its directives */
  #block(routes: readonly FlatRoute[], isSorted: boolean): RouteBlock {
    const runWriters = this.#writers.runWritersOf(handlersOf(routes));
    const levels = routes.filter(({ handler }) => isSubroute(handler));
    const hasGrouped = levels.some(({ group }) => group !== undefined);
    const onlyHandle = hasGrouped
      ? undefined
      : levels.length === 1
        ? levels[0]
        : levels.find(isUnmergedStrip);
    const statements: Statement[] = [];
    let next = 0;
    for (const [at, route] of routes.entries()) {
      if (at < next) {
        continue;
      }
      const run = runAt(routes, at, runWriters, this.#context);
      const match = run?.takesMatcher === true ? route.match : undefined;
      statements.push(
        run === undefined
          ? this.#statementOf(route, route === onlyHandle)
          : this.statement(run.written, match, route.path, run.more),
      );
      next = at + (run?.count ?? 1);
    }
    const block = new RouteBlock(isSorted ? withOlderNames(statements) : statements, isSorted);
    const handles = statements.filter(({ directive }) => directive.startsWith("handle")).length > 1 ? 1 : 0;
    const offsets = [0, handles, handles + 1];
    [block.listFirstGroup] = routes.flatMap(({ group, handler }) => {
      const [number, kind] = [groupNumber(group), kindOf(handler)];
      const isShown = number !== undefined && kind !== undefined && !isTryFiles(statements, number);
      return isShown ? [number - (offsets[kind] ?? 0)] : [];
    });
    return block;
  }

  /** Writes one route as a directive. @throws ServerError CONFIG_INEXPRESSIBLE */
  #statementOf(route: FlatRoute, mayBeHandle: boolean): Statement {
    if (isSubroute(route.handler)) {
      return this.#subroute(route, mayBeHandle);
    }
    const handler = new Members(route.handler, route.handlerPath);
    const name = handler.text("handler") ?? "";
    const writer = this.#writers.writerOf(name);
    if (writer === undefined) {
      throw inexpressible(route.handlerPath, `there is no directive for the handler ${name}`);
    }
    const written = writer(handler, this.#context);
    handler.done(`the directive ${written.directive}`);
    if (route.group !== undefined && !["rewrite", "root"].includes(written.directive)) {
      throw inexpressible(`${route.path}/group`, `the directive ${written.directive} is in no group`);
    }
    return this.statement(written, route.match, route.path);
  }

  /** Writes a directive with its matcher. @param match undefined: the directive is for every request */
  statement(
    { directive, older, words, block, blocks = [] }: Written,
    match: JsonValue | undefined,
    path: string,
    more: Partial<Statement> = {},
  ): Statement {
    const matcher = noMatcher.has(directive) ? [] : this.#matcherWords(directive, words, match, path);
    const line = { words: [directive, ...matcher, ...words], block };
    return {
      directive,
      ...(older && { older: { name: older, route: { match: match as Route["match"], handle: [] } } }),
      line,
      blocks,
      ownGroups: 0,
      firstGroup: undefined,
      isRoute: true,
      ...more,
    };
  }

  /**
   * Writes the matcher on a directive's line. `*` is added if the reader would otherwise take the first word for a
   * matcher.
   */
  #matcherWords(
    directive: string,
    words: readonly Word[],
    match: JsonValue | undefined,
    path: string,
  ): readonly Word[] {
    if (match !== undefined) {
      return this.#context.matchers.wordsFor(match, `${path}/match`);
    }
    const [first] = words;
    const looksLikeMatcher = first !== undefined && /^(\*$|[/@])/.test(textOf(first));
    return looksLikeMatcher || (loneArgument.has(directive) && words.length === 1) ? ["*"] : [];
  }

  /** Writes a subroute as the first possible form of `php_fastcgi`, `handle_path`, `handle` and `route`. */
  #subroute(route: FlatRoute, mayBeHandle: boolean): Statement {
    const handler = new Members(route.handler, route.handlerPath);
    handler.take("handler");
    const routes = handler.take("routes");
    const path = handler.pathOf("routes");
    handler.done("a subroute");
    const php = this.#phpWithMatcher(route, routes, path);
    if (php !== undefined) {
      return php;
    }
    const stripped = strippedPath(route.match, routes);
    const ways = [
      ...given(stripped).map((word) => ({ directive: "handle_path", words: [word], skipped: 1 })),
      { directive: "handle", words: [], skipped: 0 },
    ];
    for (const { directive, words, skipped } of route.group !== undefined || mayBeHandle ? ways : []) {
      const block = this.#block(flatten(routes, path).slice(skipped), true);
      if (route.group !== undefined || this.#order.isKept(block)) {
        this.#order.need(block.statements.map((each) => each.directive));
        return this.statement({ directive, words, block, blocks: [block] }, route.match, route.path);
      }
    }
    const block = this.#block(flatten(routes, path), false);
    return this.statement({ directive: "route", words: [], block, blocks: [block] }, route.match, route.path);
  }

  /** Writes `php_fastcgi` with a matcher, whose JSON is a subroute. */
  #phpWithMatcher(route: FlatRoute, routes: JsonValue | undefined, path: string): Statement | undefined {
    if (route.match === undefined || route.group !== undefined || !isJsonArray(routes) || routes.length > 3) {
      return undefined;
    }
    const inner = flatten(routes, path);
    const run = runAt(inner, 0, this.#writers.runWritersOf(handlersOf(inner)), this.#context);
    return run?.count === inner.length && run.more?.isRoute === false
      ? this.statement(run.written, route.match, route.path)
      : undefined;
  }
}

/**
 * True when no directive but `handle_path` creates this route. `route` would merge the strip handler with the next
 * handler.
 */
function isUnmergedStrip({ handler, match }: FlatRoute): boolean {
  const routes = valueAt(handler, "routes");
  const [, second] = objectsOf(routes);
  return (
    strippedPath(match, routes) !== undefined &&
    second !== undefined &&
    second.match === undefined &&
    second.group === undefined
  );
}

/** Writes the routes at a position as one directive that creates several routes. */
function runAt(
  routes: readonly FlatRoute[],
  at: number,
  writers: readonly RunWriter[],
  context: WriteContext,
): WrittenRun | undefined {
  const runs = writers.values().map((write) => write(routes, at, context));
  return runs.find((run) => run !== undefined);
}

/** Names of the handlers in a list. */
function handlersOf(routes: readonly FlatRoute[]): Set<string> {
  return new Set(routes.map(({ handler }) => String(valueAt(handler, "handler") ?? "")));
}

/** True for a handler that contains routes. */
function isSubroute(handler: JsonValue): boolean {
  return valueAt(handler, "handler") === "subroute";
}

/** Kind of exclusive group of a handler: 0 handle, 1 rewrite, 2 root. */
function kindOf(handler: JsonValue): number | undefined {
  const kind = ["subroute", "rewrite", "vars"].indexOf(String(valueAt(handler, "handler")));
  return kind === -1 ? undefined : kind;
}

/** True when `try_files` uses this group, so that its number does not belong to the list. */
function isTryFiles(statements: readonly Statement[], group: number): boolean {
  return statements.some(({ directive, firstGroup }) => directive === "try_files" && firstGroup === group);
}

/** The path of a `handle_path`, whose routes first strip the path prefix. */
function strippedPath(match: JsonValue | undefined, routes: JsonValue | undefined): string | undefined {
  const [set, ...otherSets] = objectsOf(match);
  const [path = "", ...otherPaths] = hasOnly(set, "path") ? textsOf(set, "path") : [];
  const [first] = objectsOf(routes);
  const [handler, ...otherHandlers] = hasOnly(first, "handle") ? objectsOf(first, "handle") : [];
  const others = otherSets.length + otherPaths.length + otherHandlers.length;
  if (others > 0 || !path.startsWith("/")) {
    return undefined;
  }
  const prefix = path.replace(/\/?\*$/, "");
  const strip = prefix === "" ? { handler: "rewrite" } : { handler: "rewrite", strip_path_prefix: prefix };
  return isDeepStrictEqual({ ...handler }, strip) ? path : undefined;
}
