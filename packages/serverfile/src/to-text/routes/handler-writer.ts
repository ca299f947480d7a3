import type { JsonValue } from "server-core/json/json-value";
import type { Block, Word } from "../lines/line.ts";
import type { MatcherSetWriter } from "../matchers/matcher-writer.ts";
import type { NamedMatchers } from "../matchers/named-matchers.ts";
import type { Members } from "../members.ts";
import type { OptionWriter, WrapperWriters } from "../options/option-writer.ts";
import type { FlatRoute } from "./flat-route.ts";
import type { Numbered, RouteBlock, Statement } from "./route-block.ts";

/** The services of a writer beside the handler. */
export interface WriteContext {
  /** Gives names to sets of matchers, for directives that have several. */
  readonly matchers: NamedMatchers;
  /** The lines of a set of matchers. */
  readonly matcherLines: MatcherSetWriter;
  /** Files that the text is thought to be in: file servers hide them without being told. */
  readonly hiddenFile: string;
  /** Writes a list of routes in braces, in the order of the directives. */
  readonly sortedRoutes: (routes: JsonValue | undefined, path: string) => RouteBlock;
  /** Writes a list of routes in braces that are in the text's order. */
  readonly routesInOrder: (routes: JsonValue | undefined, path: string) => RouteBlock;
}

/** A directive without its matcher. */
export interface Written {
  /** First word of the line. */
  readonly directive: string;
  /** An older name of the directive, which is sorted before it. */
  readonly older?: string;
  /** Words behind the name and the matcher. */
  readonly words: readonly Word[];
  readonly block?: Block | undefined;
  /** Blocks of routes anywhere in it, in the order in which they are read. */
  readonly blocks?: readonly Numbered[];
}

/** Writes a handler. @throws ServerError CONFIG_INEXPRESSIBLE */
export type HandlerWriter = (handler: Members, context: WriteContext) => Written;

/** Several routes as one directive. */
export interface WrittenRun {
  readonly written: Written;
  /** How many routes. */
  readonly count: number;
  /** True: the directive takes the matcher of the first route. Else it makes all matchers itself. */
  readonly takesMatcher?: boolean;
  /** The differences to a directive of one route. */
  readonly more?: Partial<Pick<Statement, "isRoute" | "ownGroups" | "firstGroup">>;
}

/** Writes the routes at a place as one directive; undefined when the directive does not make such routes. */
export type RunWriter = (
  routes: readonly FlatRoute[],
  at: number,
  context: WriteContext,
) => WrittenRun | undefined;

/** The writers of a server's modules, looked up when a config names the module. */
export interface HandlerWriters {
  /** The lines of a set of matchers. */
  readonly matcherLines: MatcherSetWriter;
  /** @param handler name without `http.handlers.` @returns undefined for a handler without text */
  writerOf(handler: string): HandlerWriter | undefined;
  /** The writers of several routes as one directive. @param handlers names of all handlers in these routes */
  runWritersOf(handlers: ReadonlySet<string>): RunWriter[];
}

/** The writers, and the order in which the directives that they write run. */
export interface TextWriters extends HandlerWriters, WrapperWriters {
  readonly order: readonly string[];
  /** @returns undefined for an app that no global option says */
  optionWriterOf(app: string): OptionWriter | undefined;
}
