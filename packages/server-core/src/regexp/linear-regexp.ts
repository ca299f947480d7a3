import { RE2JS } from "re2js";
import { messageOf, ServerError } from "../errors.ts";

/** One match of an expression. */
export interface RegexpMatch {
  /** The whole match, then each group; undefined for a group that took no part. */
  readonly groups: readonly (string | undefined)[];
  /** Index of the first character. */
  readonly start: number;
  /** Position after the last character. */
  readonly end: number;
}

/** Maximum number of characters of a pattern. The compiled pattern needs several hundred bytes for each character. */
export const maxPatternLength = 10_000;

/**
 * Maximum number of steps in a search: characters of the text times instructions of the pattern. Such a search takes
 * about a second of CPU time.
 */
const maxSearchSteps = 100_000_000;

/**
 * Milliseconds of CPU time for replacing in one text; then the replacement fails. Each match is found in linear time,
 * but a pattern may read the whole remaining text for each match: `(a+)+b|a` in 16,000 `a`s would take 20 seconds.
 */
const maxReplaceMs = 250;

/** Number of read characters after which the time is checked. */
const charactersPerCheck = 100_000;

/** Minimum length of a text for which a quick test before the search saves time. */
const longText = 256;

/**
 * A regular expression in RE2 syntax, as in Go and in Caddy's configs. Its time is linear in the length of the text for
 * every pattern, and limited, so that no request can use it for an attack. Source: the syntax of RE2,
 * github.com/google/re2/wiki/Syntax
 */
export class LinearRegexp {
  readonly pattern: string;
  /** Names of groups by their number; "" for a group without a name. Number 0 is the whole match. */
  readonly groupNames: readonly string[];
  readonly #compiled: RE2JS;
  /** Maximum length of a text within {@link maxSearchSteps}. */
  readonly #maxTextLength: number;

  /** @throws ServerError MODULE_CONFIG for a pattern that RE2 refuses, or that exceeds {@link maxPatternLength} */
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
    this.#maxTextLength = Math.floor(maxSearchSteps / Math.max(1, this.#compiled.programSize()));
    const names = new Array<string>(this.#compiled.groupCount() + 1).fill("");
    for (const [name, index] of Object.entries(this.#compiled.namedGroups())) {
      names[index] = name;
    }
    this.groupNames = names;
  }

  /** @throws ServerError REGEXP_COST for a text that is too long for the pattern */
  test(text: string): boolean {
    this.#checkLength(text.length);
    return this.#compiled.test(text);
  }

  /** The first match at or after `from`. @throws ServerError REGEXP_COST for a text that is too long for the pattern */
  find(text: string, from = 0): RegexpMatch | undefined {
    this.#checkLength(text.length);
    if (from === 0 && text.length > longText && !this.#compiled.test(text)) {
      return undefined;
    }
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
   * @param replacement text with Go's references: `$1`, `${1}`, `$name`, `${name}`; `$$` is a dollar sign. An unknown
   * name gives an empty text.
   * @throws ServerError REGEXP_COST when it takes too long
   */
  replaceAll(text: string, replacement: string): string {
    let result = "";
    let rest = 0;
    let from = 0;
    let unchecked = 0;
    let startedAt: NodeJS.CpuUsage | undefined;
    while (from <= text.length) {
      const match = this.find(text, from);
      if (match === undefined) {
        break;
      }
      unchecked += text.length - from;
      if (unchecked > charactersPerCheck) {
        unchecked = 0;
        startedAt ??= process.threadCpuUsage();
        this.#checkTime(startedAt, text.length);
      }
      result += text.slice(rest, match.start);
      // As in Go, an empty match directly after another match is ignored.
      if (match.end > rest || match.start === 0) {
        result += this.expand(replacement, match);
      }
      rest = match.end;
      if (match.end > match.start) {
        from = match.end;
        continue;
      }
      from = match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1);
    }
    return result + text.slice(rest);
  }

  /**
   * Replaces the references in a replacement by the groups of a match; see {@link replaceAll}. Source: Go,
   * `regexp.Regexp.Expand`
   */
  expand(replacement: string, match: RegexpMatch): string {
    if (!replacement.includes("$")) {
      return replacement;
    }
    return replacement.replace(/\$(?:\$|\{([^{}]*)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
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

  #checkLength(length: number): void {
    if (length > this.#maxTextLength) {
      throw new ServerError(
        "REGEXP_COST",
        `regular expression ${this.#shown}: a text of ${length} characters, limit ${this.#maxTextLength}`,
      );
    }
  }

  #checkTime(startedAt: NodeJS.CpuUsage, length: number): void {
    if (process.threadCpuUsage(startedAt).user > maxReplaceMs * 1000) {
      throw new ServerError(
        "REGEXP_COST",
        `regular expression ${this.#shown}: replacing in a text of ${length} characters takes over ${maxReplaceMs} ms`,
      );
    }
  }

  get #shown(): string {
    return JSON.stringify(this.pattern.slice(0, 100));
  }
}
