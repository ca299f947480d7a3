import type { JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import type { Line } from "../lines/line.ts";
import { Members } from "../members.ts";

/**
 * Writes a matcher set.
 * @param matcherName name of the named matcher that is being defined; "": an inline matcher
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export type MatcherSetWriter = (set: JsonValue, path: string, matcherName: string) => Line[];

/**
 * Writes one matcher.
 * @param matcherName name of the surrounding named matcher; "": inside another matcher
 * @param writeSet writes nested sets
 */
export type MatcherWriter = (
  value: JsonValue,
  path: string,
  matcherName: string,
  writeSet: MatcherSetWriter,
) => Line[];

/** Creates the function that writes matcher sets. `writerOf` finds the writer of a matcher. */
export function matcherWriting(writerOf: (name: string) => MatcherWriter | undefined): MatcherSetWriter {
  const writeSet: MatcherSetWriter = (set, path, matcherName) =>
    new Members(set, path).entries().flatMap(([name, value]) => {
      const writer = writerOf(name);
      if (writer === undefined) {
        throw inexpressible(`${path}/${name}`, `there is no matcher ${name} in serverfiles`);
      }
      return writer(value, `${path}/${name}`, matcherName, writeSet);
    });
  return writeSet;
}
