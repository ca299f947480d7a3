import { TokenCursor } from "../lexer/token-cursor.ts";
import type { Draft, DraftValue } from "../values/draft.ts";

/**
 * Reads a module's lines. @param cursor stands before the module's name, and also contains its arguments and its block
 */
export type ModuleReader = (cursor: TokenCursor, readModule: ReadModule) => Draft;

/**
 * Reads the global option of an app.
 * @param cursor on the option's name
 * @param existing result of an earlier option with the same name, if any
 */
export type OptionReader = (
  cursor: TokenCursor,
  readModule: ReadModule,
  existing: Draft | undefined,
) => Draft;

/** Reads a matcher's lines. The result may be any JSON value: `path` is a list, `protocol` a text. */
export type MatcherReader = (cursor: TokenCursor, readModule: ReadModule) => DraftValue;

/** Module readers by namespace, then by name. */
export type ModuleReaders = Readonly<Record<string, Readonly<Record<string, ModuleReader>>>>;

/**
 * Reads the module whose name is the current token, with its arguments and block.
 * @param inline member of the result for the module's name; undefined: the caller stores the name elsewhere
 * @throws ServerError CONFIG_ADAPTER for an unknown module, or invalid lines
 */
export interface ReadModule {
  (cursor: TokenCursor, namespace: string, inline?: string): Draft;
  /** The reader of a matcher; undefined for an unknown matcher. */
  readonly matcher: (name: string) => MatcherReader | undefined;
}

/** Creates the function that reads modules. `readerOf` finds the reader for a namespace and a name. */
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

/** Reader of a module without settings: accepts no lines. */
export const noSettings: ModuleReader = () => ({});

/** Reader of a module without arguments. */
export const noArguments: ModuleReader = (cursor) => {
  cursor.next();
  cursor.noMoreArguments();
  return {};
};
