import { TokenCursor } from "../lexer/token-cursor.ts";
import type { Draft, DraftValue } from "../values/draft.ts";

/** Reads a module's lines. @param cursor over the module's name, arguments and block, before the name */
export type ModuleReader = (cursor: TokenCursor, readModule: ReadModule) => Draft;

/**
 * Reads the global option of an app.
 * @param cursor over the option's lines, on its name
 * @param existing what an earlier option of the name came to
 */
export type OptionReader = (
  cursor: TokenCursor,
  readModule: ReadModule,
  existing: Draft | undefined,
) => Draft;

/** Reads a matcher's lines. Its JSON may be any value: `path` is a list, `protocol` a text. */
export type MatcherReader = (cursor: TokenCursor, readModule: ReadModule) => DraftValue;

/** Modules by namespace, then by name. */
export type ModuleReaders = Readonly<Record<string, Readonly<Record<string, ModuleReader>>>>;

/**
 * Reads the module whose name is the current token, with its arguments and block.
 * @param inline member of the result for the module's name; undefined when the name is stored elsewhere
 * @throws ServerError CONFIG_ADAPTER when there is no such module, or its lines are wrong
 */
export interface ReadModule {
  (cursor: TokenCursor, namespace: string, inline?: string): Draft;
  /** The reader of a matcher; undefined when there is none. */
  readonly matcher: (name: string) => MatcherReader | undefined;
}

/** Makes the function that reads modules with the reader that `readerOf` finds for a namespace and a name. */
export function moduleReading(
  readerOf: (namespace: string, name: string) => ModuleReader | undefined,
  matcher: ReadModule["matcher"],
): ReadModule {
  const read = (cursor: TokenCursor, namespace: string, inline?: string): Draft => {
    const name = cursor.value;
    const reader = readerOf(namespace, name);
    if (reader === undefined) {
      const id = `${namespace}.${name}`;
      throw cursor.error(`getting module named '${id}': module not registered: ${id}`);
    }
    const draft = reader(new TokenCursor(cursor.nextSegment(), cursor.matcherName), readModule);
    return inline === undefined ? draft : { ...draft, [inline]: name };
  };
  const readModule: ReadModule = Object.assign(read, { matcher });
  return readModule;
}

/** Reads what must not be there: a module without settings. */
export const noSettings: ModuleReader = () => ({});

/** A module whose name stands alone. */
export const noArguments: ModuleReader = (cursor) => {
  cursor.next();
  cursor.noMoreArguments();
  return {};
};
