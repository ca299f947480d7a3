import { RE2JS } from "re2js";
import { messageOf, ServerError } from "../errors.ts";

/** What one match found: the whole, then the groups; undefined for a group that took no part. */
export interface RegexpMatch {
  readonly groups: readonly (string | undefined)[];
  readonly start: number;
  readonly end: number;
}

/** The longest pattern that is compiled, in characters. Its automaton takes some hundred bytes for each. */
export const maxPatternLength = 10_000;

/**
 * A regular expression in RE2 syntax, the one of Go and so of the public model's configs. Its time is linear in the
 * text whatever the pattern: no request can make it blow up.
 * Source: the syntax of RE2, github.com/google/re2/wiki/Syntax
 */
export class LinearRegexp {
  readonly pattern: string;
  /** Names of groups by their number; "" for one without a name. Number 0 is the whole match. */
  readonly groupNames: readonly string[];
  readonly #compiled: RE2JS;

  /** @throws ServerError MODULE_CONFIG for a pattern that RE2 refuses or that is over {@link maxPatternLength} */
  constructor(pattern: string) {
    if (pattern.length > maxPatternLength) {
      throw new ServerError(
        "MODULE_CONFIG",
        `regular expression of ${pattern.length} characters, limit ${maxPatternLength}`,
      );
    }
    try {
      this.#compiled = RE2JS.compile(pattern);
    } catch (error) {
      throw new ServerError(
        "MODULE_CONFIG",
        `regular expression ${JSON.stringify(pattern)}: ${messageOf(error)}`,
        { cause: error },
      );
    }
    this.pattern = pattern;
    const names = new Array<string>(this.#compiled.groupCount() + 1).fill("");
    for (const [name, index] of Object.entries(this.#compiled.namedGroups())) {
      names[index] = name;
    }
    this.groupNames = names;
  }

  test(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** The first match at or after `from`. */
  find(text: string, from = 0): RegexpMatch | undefined {
    const matcher = this.#compiled.matcher(text);
    if (!(from === 0 ? matcher.find() : matcher.find(from))) {
      return undefined;
    }
    const groups: (string | undefined)[] = [];
    for (let index = 0; index < this.groupNames.length; index++) {
      groups.push(matcher.group(index) ?? undefined);
    }
    return { groups, start: matcher.start(), end: matcher.end() };
  }

  /**
   * Replaces every match.
   * @param replacement with Go's references: `$1`, `${1}`, `$name`, `${name}`; `$$` is a dollar sign. A name that no
   *   group has is empty.
   */
  replaceAll(text: string, replacement: string): string {
    let result = "";
    let rest = 0;
    let from = 0;
    while (from <= text.length) {
      const match = this.find(text, from);
      if (match === undefined) {
        break;
      }
      result += text.slice(rest, match.start) + this.expand(replacement, match);
      rest = match.end;
      if (match.end > match.start) {
        from = match.end;
        continue;
      }
      from = match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1);
    }
    return result + text.slice(rest);
  }

  /** Fills the groups of a match into a replacement; see {@link replaceAll}. Source: Go, `regexp.Regexp.Expand` */
  expand(replacement: string, match: RegexpMatch): string {
    if (!replacement.includes("$")) {
      return replacement;
    }
    return replacement.replace(/\$(?:\$|\{([^}]*)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare;
      if (name === undefined) {
        return "$";
      }
      if (name === "") {
        return whole;
      }
      const index = /^\d+$/.test(name) ? Number(name) : this.groupNames.indexOf(name, 1);
      return match.groups[index] ?? "";
    });
  }
}
