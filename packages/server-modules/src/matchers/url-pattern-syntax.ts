import { LinearRegexp } from "server-core/regexp/linear-regexp";

/** Behavior of names and wildcards in one component of a URL. Source: WHATWG URL Pattern, "options" */
export interface ComponentOptions {
  /** Character that ends a named group: `/` in paths, `.` in host names, "" elsewhere. */
  readonly delimiter: string;
  /** Character before a group that becomes part of the group: `/` in paths. */
  readonly prefix: string;
}

/**
 * A text, or a group with surrounding text. `/books/:id?` consists of the text `/books`, and of the group `id` with the
 * prefix `/` and the modifier `?`.
 */
interface Part {
  /** Required text before the group. */
  readonly prefix: string;
  /** Name of the group; "" for plain text. */
  readonly name: string;
  /** The pattern of the group; "" for plain text. */
  readonly regexp: string;
  /** Required text after the group. */
  readonly suffix: string;
  /** `?`, `*` or `+`; "" for exactly once. */
  readonly modifier: string;
}

const escapeText = (text: string) => text.replace(/[.+*?^${}()[\]|/\\]/g, "\\$&");

/**
 * Parses a component's pattern in the canonical form of `URLPattern`, in one pass. Text is collected in `#pending`
 * until a group, a brace or the end.
 */
class ComponentReader {
  readonly #text: readonly string[];
  readonly #options: ComponentOptions;
  readonly #parts: Part[] = [];
  /** Index of the next character. */
  #at = 0;
  /** Collected text that belongs to no part yet. */
  #pending = "";
  /** Next name for an unnamed group: "0", "1", … */
  #nextName = 0;

  constructor(text: string, options: ComponentOptions) {
    this.#text = [...text];
    this.#options = options;
  }

  read(): Part[] {
    while (this.#at < this.#text.length) {
      this.#readPart();
    }
    this.#flush();
    return this.#parts;
  }

  /** Reads a character, a group, or braces. A character directly before a group may be the prefix of the group. */
  #readPart(): void {
    const character = this.#takeCharacter();
    const group = this.#takeGroup();
    if (group !== undefined) {
      const isPrefix = character !== "" && character === this.#options.prefix;
      this.#pending += isPrefix ? "" : character;
      this.#flush();
      const prefix = isPrefix ? character : "";
      this.#parts.push({ ...group, prefix, suffix: "", modifier: this.#takeModifier() });
    } else if (character !== "") {
      this.#pending += character;
    } else {
      this.#flush();
      this.#readBraces();
    }
  }

  /** Reads `{prefix:name suffix}modifier`. The canonical form has no nested braces. */
  #readBraces(): void {
    this.#at++;
    const prefix = this.#takeText();
    const group = this.#takeGroup() ?? { name: "", regexp: "" };
    const suffix = this.#takeText();
    this.#at++;
    this.#parts.push({ ...group, prefix, suffix, modifier: this.#takeModifier() });
  }

  #flush(): void {
    if (this.#pending !== "") {
      this.#parts.push({ prefix: this.#pending, name: "", regexp: "", suffix: "", modifier: "" });
      this.#pending = "";
    }
  }

  /** Reads text up to a group or a brace. */
  #takeText(): string {
    let text = "";
    for (;;) {
      const character = this.#takeCharacter();
      if (character === "") {
        return text;
      }
      text += character;
    }
  }

  /** Reads one character, possibly escaped; "" at any token that is not a character. */
  #takeCharacter(): string {
    const character = this.#text[this.#at] ?? "";
    if (character === "\\") {
      this.#at += 2;
      return this.#text[this.#at - 1] ?? "";
    }
    const startsName = character === ":" && /^[\p{ID_Start}$_]$/u.test(this.#text[this.#at + 1] ?? "");
    if (startsName || /^[{}(*]?$/.test(character)) {
      return "";
    }
    this.#at++;
    return character;
  }

  /** Reads `:name`, `(regexp)`, `:name(regexp)` or `*`; undefined at any other token. */
  #takeGroup(): { name: string; regexp: string } | undefined {
    let name = "";
    if (this.#text[this.#at] === ":") {
      this.#at++;
      while (/^[\p{ID_Continue}$_\u200c\u200d]$/u.test(this.#text[this.#at] ?? "")) {
        name += this.#text[this.#at++] ?? "";
      }
    }
    const custom = this.#takeCustom(name !== "");
    if (custom === undefined && name === "") {
      return undefined;
    }
    const { delimiter } = this.#options;
    const segment = delimiter === "" ? ".+?" : `[^${escapeText(delimiter)}]+?`;
    return { name: name === "" ? String(this.#nextName++) : name, regexp: custom ?? segment };
  }

  /** Reads the pattern in parentheses, with balanced inner parentheses. */
  #takeCustom(named: boolean): string | undefined {
    if (!named && this.#text[this.#at] === "*") {
      this.#at++;
      return ".*";
    }
    if (this.#text[this.#at] !== "(") {
      return undefined;
    }
    const start = ++this.#at;
    for (let depth = 1; depth > 0 && this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === "\\") {
        this.#at++;
      } else if (character === "(") {
        depth++;
      } else if (character === ")") {
        depth--;
      }
    }
    return this.#text.slice(start, this.#at - 1).join("");
  }

  /** Reads `?`, `*` or `+` after a group. */
  #takeModifier(): string {
    const character = this.#text[this.#at] ?? "";
    if (!/^[?*+]$/.test(character)) {
      return "";
    }
    this.#at++;
    return character;
  }
}

/** Converts a part to a regular expression. For a repeated group, the surrounding text repeats between the values. */
function regexpOf({ prefix, regexp, suffix, modifier }: Part): string {
  const [before, after] = [escapeText(prefix), escapeText(suffix)];
  if (regexp === "") {
    return modifier === "" ? before + after : `(?:${before}${after})${modifier}`;
  }
  const repeated = modifier === "*" || modifier === "+";
  if (prefix === "" && suffix === "") {
    return repeated ? `((?:${regexp})${modifier})` : `(${regexp})${modifier}`;
  }
  if (!repeated) {
    return `(?:${before}(${regexp})${after})${modifier}`;
  }
  const all = `(?:${before}((?:${regexp})(?:${after}${before}(?:${regexp}))*)${after})`;
  return modifier === "*" ? `${all}?` : all;
}

export interface CompiledComponent {
  /** Regular expression that runs in linear time. */
  readonly regexp: LinearRegexp;
  /** Names of the groups, in order; "0", "1", … for unnamed groups. */
  readonly names: readonly string[];
}

/**
 * Compiles a component's pattern to a regular expression with linear running time. The platform's own `URLPattern` uses
 * backtracking, so its time is not linear.
 * @param text canonical form from a `URLPattern`
 * @throws ServerError MODULE_CONFIG when a group is not in RE2 syntax
 * Source: WHATWG URL Pattern, "parse a pattern string" and "generate a regular expression"
 */
export function compileComponent(
  text: string,
  options: ComponentOptions,
  ignoreCase: boolean,
): CompiledComponent {
  const parts = new ComponentReader(text, options).read();
  const pattern = `${ignoreCase ? "(?i)" : ""}^(?:${parts.map(regexpOf).join("")})$`;
  return {
    regexp: new LinearRegexp(pattern),
    names: parts.filter((part) => part.regexp !== "").map((part) => part.name),
  };
}
