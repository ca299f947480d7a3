import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import { hasOnly, textsOf } from "../json-lists.ts";
import type { Line, Word } from "../lines/line.ts";
import type { MatcherSetWriter } from "./matcher-writer.ts";
import { namesFor } from "./name-matcher.ts";

/** Writes the definition `@name …`; if it has one matcher, this matcher is on the same line. */
export function definition(name: string, lines: readonly Line[]): Line {
  const [only] = lines;
  if (lines.length !== 1 || only === undefined) {
    return { words: [`@${name}`], block: lines };
  }
  const [first, ...rest] = only.words;
  const isExpression = first === "expression" && typeof rest[0] === "object" && "quoted" in rest[0];
  return { ...only, words: [`@${name}`, ...(isExpression ? rest : only.words)] };
}

/** Names of matchers. Equal matchers share one name, and are defined only once. */
export class MatcherNames {
  readonly #names = new Map<string, string>();
  /** Lines `@name …` in the order in which the matchers were first used. */
  readonly definitions: Line[] = [];

  /**
   * The word for a matcher, including `@`.
   * @param wishes possible names, the best first; if all are used, a number is added to the last name
   * @param write writes the lines of the matcher with a given name
   */
  protected wordOf(
    match: JsonValue,
    wishes: readonly string[],
    write: (name: string) => readonly Line[],
  ): string {
    const key = JSON.stringify(match);
    let name = this.#names.get(key);
    if (name === undefined) {
      const taken = new Set(this.#names.values());
      name = wishes.find((each) => !taken.has(each));
      for (let count = 2; name === undefined; count++) {
        const next = `${wishes.at(-1)}_${count}`;
        name = taken.has(next) ? undefined : next;
      }
      this.#names.set(key, name);
      this.definitions.push(definition(name, write(name)));
    }
    return `@${name}`;
  }
}

/** The named matchers of a site, defined at the top of the site. */
export class NamedMatchers extends MatcherNames {
  readonly #writeSet: MatcherSetWriter;

  constructor(writeSet: MatcherSetWriter) {
    super();
    this.#writeSet = writeSet;
  }

  /**
   * The words for the matcher, which precede a directive's arguments. A set with one path is written on the directive's
   * line: `respond /api/* ok`. Any other set is defined as a named matcher.
   * @param match matcher sets of the route
   * @throws ServerError CONFIG_INEXPRESSIBLE for several sets
   */
  wordsFor(match: JsonValue | undefined, path: string): Word[] {
    if (match === undefined) {
      return [];
    }
    const [set, more] = isJsonArray(match) ? match : [];
    if (!isJsonObject(set) || more !== undefined) {
      throw inexpressible(
        path,
        "a directive has one set of matchers; of several, one of which must match, it has none",
      );
    }
    const [only, ...others] = hasOnly(set, "path") ? textsOf(set, "path") : [];
    return only?.startsWith("/") && others.length === 0
      ? [only]
      : [this.wordOf(set, namesFor(set), (name) => this.#writeSet(set, `${path}/0`, name))];
  }
}
