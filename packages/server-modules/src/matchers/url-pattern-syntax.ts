import { LinearRegexp } from "server-core/regexp/linear-regexp";

/** How names and wildcards behave in one component of a URL. Source: WHATWG URL Pattern, "options" */
export interface ComponentOptions {
  /** The character that ends a named group: `/` in paths, `.` in host names, "" elsewhere. */
  readonly delimiter: string;
  /** A character before a group that belongs to it: `/` in paths. */
  readonly prefix: string;
}

/**
 * A text, or a group with the text around it. `/books/:id?` is the text `/books` and the group `id` with prefix
 * `/` and modifier `?`.
 */
interface Part {
  /** Text that must stand before the group. */
  readonly prefix: string;
  /** "" for text only. */
  readonly name: string;
  /** The pattern of the group; "" for plain text. */
  readonly regexp: string;
  /** Text that must stand behind the group. */
  readonly suffix: string;
  /** `?`, `*` or `+`; "" for exactly once. */
  readonly modifier: string;
}

const escapeText = (text: string) => text.replace(/[.+*?^${}()[\]|/\\]/g, "\\$&");

/**
 * Reads a component's pattern, as a `URLPattern` gives it: checked and in canonical form. One pass from left to
 * right. Text gathers in `#pending` until a group, a brace or the end cuts it off.
 */
class ComponentReader {
  readonly #text: readonly string[];
  readonly #options: ComponentOptions;
  readonly #parts: Part[] = [];
  /** Index of the next character. */
  #at = 0;
  /** Text that belongs to no part yet. */
  #pending = "";
  /** Name of the next group without one: "0", "1", … */
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

  /** A character, a group, or braces. A character right before a group may be its prefix. */
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

  /** `{prefix:name suffix}modifier`. The canonical form has no nested braces. */
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

  /** Text up to a group or a brace. */
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

  /** One character, also an escaped one; "" where something else begins. */
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

  /** `:name`, `(regexp)`, `:name(regexp)` or `*`; undefined for none of these. */
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

  /** The pattern in parentheses, with those inside it in balance. */
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

  /** `?`, `*` or `+` behind a group. */
  #takeModifier(): string {
    const character = this.#text[this.#at] ?? "";
    if (!/^[?*+]$/.test(character)) {
      return "";
    }
    this.#at++;
    return character;
  }
}

/** A part as a regular expression. A repeated group with text around it repeats that text between its values. */
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

/** One component of a URL pattern that takes linear time. */
export interface CompiledComponent {
  /** Pattern that takes linear time. */
  readonly regexp: LinearRegexp;
  /** Names of the groups, in order; "0", "1", … for those without one. */
  readonly names: readonly string[];
}

/**
 * Compiles a component's pattern to a regular expression that cannot blow up; the platform's own `URLPattern` matches
 * by one that backtracks.
 * @param text in canonical form, as a `URLPattern` has it
 * @throws ServerError MODULE_CONFIG when a group in it is not in RE2 syntax
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
