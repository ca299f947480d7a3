import type { Segment } from "serverfile/lexer/token";
import { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ReadModule } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, line } from "serverfile/to-text/lines/line";
import type { MatcherSetWriter } from "serverfile/to-text/matchers/matcher-writer";
import type { Members } from "serverfile/to-text/members";
import { duration } from "serverfile/values/block-fields";
import type { Draft, DraftValue } from "serverfile/values/draft";
import { handlerTexts } from "./handler-texts.ts";
import { layer4SetLines, readLayer4Set } from "./matcher-texts.ts";
import type { Readers, Writers } from "./text-module.ts";

const routesFields = {
  matching_timeout: duration("matching_timeout", "parsing option 'matching_timeout' duration"),
};

/** Readers for blocks inside handlers, such as the routes of `subroute`. */
function readersWith(readModule: ReadModule): Readers {
  return {
    readModule,
    routes: (cursor) => readRoutes(cursor, readModule),
    handlers: (cursor) => readHandlers(cursor, readModule),
  };
}

/** Writers of the same blocks. */
function writersWith(matcherLines: MatcherSetWriter): Writers {
  return {
    matcherLines,
    routes: (members) => routeLines(members, matcherLines),
    handlers: (list) => handlerLines(list, matcherLines),
  };
}

/** Reads handlers in braces. @param cursor on the word before them. @throws ServerError CONFIG_ADAPTER */
function readHandlers(cursor: TokenCursor, readModule: ReadModule): Draft[] {
  const handlers: Draft[] = [];
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const name = cursor.value;
    if (!Object.hasOwn(handlerTexts, name)) {
      const id = `layer4.handlers.${name}`;
      throw cursor.error(`getting module named '${id}': module not registered: ${id}`);
    }
    const draft = handlerTexts[name]?.read(cursor.segmentCursor(), readersWith(readModule)) ?? {};
    handlers.push({ ...draft, handler: name });
  }
  return handlers;
}

/** Writes handlers, one per line. @throws ServerError CONFIG_INEXPRESSIBLE */
function handlerLines(handlers: readonly Members[], matcherLines: MatcherSetWriter): Line[] {
  return handlers.map((handler) => {
    const name = handler.text("handler") ?? "";
    if (!Object.hasOwn(handlerTexts, name)) {
      throw inexpressible(handler.path, `there is no handler ${name} in the option layer4`);
    }
    const written = handlerTexts[name]?.write(handler, name, writersWith(matcherLines)) ?? line(name);
    handler.done(`the handler ${name}`);
    return written;
  });
}

/**
 * Reads the lines of a server, a subroute or a listener: named matchers, routes, and the time limit of matching.
 * @param cursor on the word before the braces. @throws ServerError CONFIG_ADAPTER
 */
export function readRoutes(cursor: TokenCursor, readModule: ReadModule): Draft {
  const draft: Draft = {};
  const sets = new Map<string, Draft>();
  const segments: Segment[] = [];
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const name = cursor.value;
    if (name.startsWith("@") && name.length > 1) {
      if (sets.has(name)) {
        throw cursor.error(`duplicate matcher set '${name}'`);
      }
      const own = new TokenCursor(cursor.nextSegment(), name.slice(1));
      own.next();
      sets.set(name, readLayer4Set(own, readModule));
    } else if (name === "route") {
      segments.push(cursor.nextSegment());
    } else if (name === "matching_timeout") {
      routesFields.matching_timeout(cursor, draft);
      cursor.noMoreArguments();
    } else {
      throw cursor.argumentError();
    }
  }
  const routes = segments.map((segment) => readRoute(new TokenCursor(segment), sets, readModule));
  return routes.length === 0 ? draft : { ...draft, routes };
}

/** Reads `route @a @b { … }`: names of sets, and handlers. @throws ServerError CONFIG_ADAPTER for an unknown name */
function readRoute(cursor: TokenCursor, sets: ReadonlyMap<string, Draft>, readModule: ReadModule): Draft {
  cursor.next();
  const match = cursor.remainingArguments().map((name): DraftValue => {
    const set = sets.get(name);
    if (set === undefined) {
      throw cursor.error(`undefined matcher set '${name}'`);
    }
    return set;
  });
  const handle = readHandlers(cursor, readModule);
  return { ...(match.length > 0 && { match }), ...(handle.length > 0 && { handle }) };
}

/** Writes the form that {@link readRoutes} reads. @throws ServerError CONFIG_INEXPRESSIBLE */
export function routeLines(members: Members, matcherLines: MatcherSetWriter): Line[] {
  const names = new Map<string, string>();
  const definitions: Line[] = [];
  // Equal sets get one name: `@m0`, `@m1` and so on, defined before the routes.
  const nameOf = (set: Members): string => {
    const path = set.path;
    const lines = layer4SetLines(Object.fromEntries(set.entries()), path, matcherLines);
    if (lines.length === 0) {
      throw inexpressible(path, "a set of matchers has one at least");
    }
    const key = JSON.stringify(lines);
    const name = names.get(key) ?? `@m${names.size}`;
    if (!names.has(key)) {
      names.set(key, name);
      definitions.push({ words: [name], block: lines });
    }
    return name;
  };
  const routes = (members.children("routes") ?? []).map((route): Line => {
    const match = (route.children("match") ?? []).map(nameOf);
    const block = handlerLines(route.children("handle") ?? [], matcherLines);
    route.done("a route");
    return block.length === 0 ? line("route", ...match) : { words: ["route", ...match], block };
  });
  return [...definitions, ...fieldLines(members, routesFields), ...routes];
}
