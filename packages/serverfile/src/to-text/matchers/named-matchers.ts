import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import type { Line, Word } from "../lines/line.ts";
import type { MatcherSetWriter } from "./matcher-writer.ts";
import { nameMatcher } from "./name-matcher.ts";

/** The definition `@name …` of lines: on one line when there is one. */
export function definition(name: string, lines: readonly Line[]): Line {
  const [only] = lines;
  if (lines.length !== 1 || only === undefined) {
    return { words: [`@${name}`], block: lines };
  }
  const [first, ...rest] = only.words;
  const isExpression = first === "expression" && typeof rest[0] === "object" && "quoted" in rest[0];
  return { ...only, words: [`@${name}`, ...(isExpression ? rest : only.words)] };
}

/** The named matchers of a site: equal ones have one name. They are defined once, at the top of the site. */
export class NamedMatchers {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #definitions: Line[] = [];
  readonly #writeSet: MatcherSetWriter;

  constructor(writeSet: MatcherSetWriter) {
    this.#writeSet = writeSet;
  }

  /** Lines `@name …` in the order in which the matchers were first used. */
  get definitions(): readonly Line[] {
    return this.#definitions;
  }

  /**
   * The words that stand before a directive's arguments.
   * A set with one path is written on the directive's line: `respond /api/* ok`. Any other set gets a name.
   * @param match of the route
   * @throws ServerError CONFIG_INEXPRESSIBLE for more than one set
   */
  wordsFor(match: JsonValue | undefined, path: string): Word[] {
    if (match === undefined) {
      return [];
    }
    const [set, more] = isJsonArray(match) ? match : [];
    if (set === undefined || more !== undefined || !isJsonObject(set)) {
      throw inexpressible(
        path,
        "a directive has one set of matchers; of several, one of which must match, it has none",
      );
    }
    const paths = Object.keys(set).join() === "path" && isJsonArray(set.path) ? set.path : [];
    const [only] = paths;
    if (paths.length === 1 && typeof only === "string" && only.startsWith("/")) {
      return [only];
    }
    const key = JSON.stringify(set);
    let name = this.#names.get(key);
    if (name === undefined) {
      name = nameMatcher(set, (each) => !this.#taken.has(each));
      this.#names.set(key, name);
      this.#taken.add(name);
      this.#definitions.push(definition(name, this.#writeSet(set, `${path}/0`, name)));
    }
    return [`@${name}`];
  }
}
