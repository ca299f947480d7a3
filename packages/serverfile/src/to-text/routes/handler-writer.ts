import type { JsonValue } from "server-core/json/json-value";
import type { Block, Word } from "../lines/line.ts";
import type { MatcherSetWriter } from "../matchers/matcher-writer.ts";
import type { NamedMatchers } from "../matchers/named-matchers.ts";
import type { Members } from "../members.ts";
import type { OptionWriter, WrapperWriters } from "../options/option-writer.ts";
import type { FlatRoute } from "./flat-route.ts";
import type { Numbered, RouteBlock, Statement } from "./route-block.ts";

/** Services for the writers of handlers. */
export interface WriteContext {
  /** Gives names to the matcher sets that do not fit on a directive's line. */
  readonly matchers: NamedMatchers;
  readonly matcherLines: MatcherSetWriter;
  /** Possible file name of the text. File servers hide this file even if no line names it. */
  readonly hiddenFile: string;
  /** Writes a list of routes in braces; the reader will sort them by the order of directives. */
  readonly sortedRoutes: (routes: JsonValue | undefined, path: string) => RouteBlock;
  /** Writes a list of routes in braces, in the given order. */
  readonly routesInOrder: (routes: JsonValue | undefined, path: string) => RouteBlock;
}

/** A directive without its matcher. */
export interface Written {
  /** First word of the line. */
  readonly directive: string;
  /** An older name of the directive, which has an earlier position in the order. */
  readonly older?: string;
  /** Words after the name and the matcher. */
  readonly words: readonly Word[];
  readonly block?: Block | undefined;
  /** All blocks of routes in the directive, in reading order. */
  readonly blocks?: readonly Numbered[];
}

/** Writes a handler. @throws ServerError CONFIG_INEXPRESSIBLE */
export type HandlerWriter = (handler: Members, context: WriteContext) => Written;

/** Several routes that are written as one directive. */
export interface WrittenRun {
  readonly written: Written;
  readonly count: number;
  /**
   * True: the directive is written with the matcher of the first route. False: the directive itself creates all
   * matchers.
   */
  readonly takesMatcher?: boolean;
  /** Differences from the statement of a single route. */
  readonly more?: Partial<Pick<Statement, "isRoute" | "ownGroups" | "firstGroup">>;
}

/** Writes the routes from a position on as one directive; undefined when the directive cannot create such routes. */
export type RunWriter = (
  routes: readonly FlatRoute[],
  at: number,
  context: WriteContext,
) => WrittenRun | undefined;

/** The writers of a server's modules, found by module name. */
export interface HandlerWriters {
  readonly matcherLines: MatcherSetWriter;
  /** @param handler name without `http.handlers.` @returns undefined for a handler without a text form */
  writerOf(handler: string): HandlerWriter | undefined;
  /**
   * The writers that combine several routes into one directive. @param handlers names of all handlers in the routes to
   * write
   */
  runWritersOf(handlers: ReadonlySet<string>): RunWriter[];
}

/** The writers of all modules, and the order in which directives run. */
export interface TextWriters extends HandlerWriters, WrapperWriters {
  readonly order: readonly string[];
  /** @returns undefined for an app without a global option */
  optionWriterOf(app: string): OptionWriter | undefined;
}
