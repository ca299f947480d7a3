import { goFloat } from "./go-floats.ts";
import { GoDuration, NamedNumber, TemplateStruct } from "./go-types.ts";
import { printed } from "./template-values.ts";
import { typeName } from "./type-name.ts";

/** One verb of a format, such as `%05d`. */
interface Verb {
  /** The letter, such as `d`. */
  readonly letter: string;
  /** Any of `-+# 0`. */
  readonly flags: string;
  /** Minimum number of characters; undefined when the format gives none. */
  readonly width: number | undefined;
  /** Digits after the decimal point, or maximum number of characters of a text. */
  readonly precision: number | undefined;
}

/** Maximum width and precision, so that a short format cannot fill the memory. */
const maxSize = 1000;

/** `%!d(string=x)`: the text that Go writes for a verb that does not fit the value. */
function wrongVerb(letter: string, value: unknown): string {
  return value === null || value === undefined
    ? `%!${letter}(<nil>)`
    : `%!${letter}(${typeName(value)}=${printed(value)})`;
}

function signed(text: string, flags: string): string {
  if (text.startsWith("-")) {
    return text;
  }
  return flags.includes("+") ? `+${text}` : flags.includes(" ") ? ` ${text}` : text;
}

const radices: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, d: 10, x: 16, X: 16 };
const prefixes: Readonly<Record<string, string>> = { b: "0b", o: "0", x: "0x", X: "0X" };

function codePoint(value: number): string {
  return value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}

function integer(value: number, { letter, flags, precision }: Verb): string | undefined {
  const radix = radices[letter];
  if (radix !== undefined) {
    const digits = Math.abs(value)
      .toString(radix)
      .padStart(precision ?? 0, "0");
    const prefix = letter === "O" ? "0o" : flags.includes("#") ? (prefixes[letter] ?? "") : "";
    const text = `${value < 0 ? "-" : ""}${prefix}${letter === "X" ? digits.toUpperCase() : digits}`;
    return signed(text, flags);
  }
  switch (letter) {
    case "c":
      return codePoint(value);
    case "q":
      return `'${codePoint(value).replace(/['\\]/g, "\\$&")}'`;
    case "U":
      return `U+${value
        .toString(16)
        .toUpperCase()
        .padStart(Math.max(4, precision ?? 0), "0")}`;
    default:
      return undefined;
  }
}

function floating(value: number, { letter, flags, precision }: Verb): string | undefined {
  if (!/[eEfFgG]/.test(letter)) {
    return undefined;
  }
  const text = goFloat(value, letter.toLowerCase(), precision);
  return signed(Number.isFinite(value) && /[EG]/.test(letter) ? text.toUpperCase() : text, flags);
}

const controlNames: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Writes a text in double quotes, with Go's escapes. Source: Go, package strconv, `Quote` */
export function quoted(text: string, onlyAscii = false): string {
  const escaped = text.replace(/["\\]|\p{C}|\p{Zl}|\p{Zp}|[^\S ]/gu, (character) => {
    const known = controlNames[character];
    const code = character.codePointAt(0) ?? 0;
    return known ?? unicodeEscape(code);
  });
  return `"${onlyAscii ? escaped.replace(/(?![\p{ASCII}])./gsu, (each) => unicodeEscape(each.codePointAt(0) ?? 0)) : escaped}"`;
}

function unicodeEscape(code: number): string {
  const digits = code.toString(16);
  return code < 0x80
    ? `\\x${digits.padStart(2, "0")}`
    : code > 0xffff
      ? `\\U${digits.padStart(8, "0")}`
      : `\\u${digits.padStart(4, "0")}`;
}

function text(value: string, { letter, flags, precision }: Verb): string | undefined {
  const cut = precision === undefined ? value : [...value].slice(0, precision).join("");
  switch (letter) {
    case "s":
      return cut;
    case "q":
      return flags.includes("#") && !/`|(?!\t)\p{Cc}/u.test(cut)
        ? `\`${cut}\``
        : quoted(cut, flags.includes("+"));
    case "x":
    case "X": {
      const joint = flags.includes(" ") ? " " : "";
      const hex = [...Buffer.from(cut)].map((byte) => byte.toString(16).padStart(2, "0")).join(joint);
      const all = flags.includes("#") && hex !== "" ? `0x${hex}` : hex;
      return letter === "X" ? all.toUpperCase() : all;
    }
    default:
      return undefined;
  }
}

/** `%#v`: a value in the form of Go source text. */
function asSource(value: unknown): string {
  if (Array.isArray(value)) {
    return `[]interface {}{${value.map(asSource).join(", ")}}`;
  }
  if (value instanceof Map) {
    const entries = [...value].sort(([a], [b]) => (printed(a) < printed(b) ? -1 : 1));
    const parts = entries.map(([key, each]) => `${asSource(key)}:${asSource(each)}`);
    return `map[string]interface {}{${parts.join(", ")}}`;
  }
  return typeof value === "string"
    ? quoted(value)
    : value === null || value === undefined
      ? "<nil>"
      : printed(value);
}

function plainValue(value: unknown, verb: Verb): string {
  if (verb.flags.includes("#")) {
    return asSource(value);
  }
  if (value === null || value === undefined) {
    return "<nil>";
  }
  if (value instanceof TemplateStruct && verb.flags.includes("+") && value.toText() === undefined) {
    return `{${value.fields.map(([name, each]) => `${name}:${printed(each) || "<nil>"}`).join(" ")}}`;
  }
  return typeof value === "number" ? signed(printed(value), verb.flags) : printed(value);
}

function formatted(value: unknown, verb: Verb): string {
  const { letter } = verb;
  if (letter === "v") {
    return plainValue(value, verb);
  }
  if (letter === "T") {
    return typeName(value);
  }
  return ofType(value, verb) ?? wrongVerb(letter, value);
}

function ofType(value: unknown, verb: Verb): string | undefined {
  switch (typeof value) {
    case "number":
      // A whole number may also be a float, because templates have one number type.
      return (Number.isInteger(value) ? integer(value, verb) : undefined) ?? floating(value, verb);
    case "string":
      return text(value, verb);
    case "boolean":
      return verb.letter === "t" ? String(value) : undefined;
    default:
      return ofObject(value, verb);
  }
}

function ofObject(value: unknown, verb: Verb): string | undefined {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (
    (value instanceof NamedNumber || value instanceof GoDuration) &&
    verb.letter !== "s" &&
    verb.letter !== "q"
  ) {
    return ofType(value.valueOf(), verb);
  }
  // Each member is written by the verb, as Go does.
  if (Array.isArray(value)) {
    return `[${value.map((each) => padded(formatted(each, verb), verb)).join(" ")}]`;
  }
  return text(printed(value), verb);
}

function padded(written: string, { letter, flags, width }: Verb): string {
  const missing = Math.min(maxSize, width ?? 0) - [...written].length;
  if (missing <= 0) {
    return written;
  }
  if (flags.includes("-")) {
    return written + " ".repeat(missing);
  }
  if (!flags.includes("0") || /[vTU]/.test(letter)) {
    return " ".repeat(missing) + written;
  }
  const sign = /^[+-]/.exec(written)?.[0] ?? "";
  return sign + "0".repeat(missing) + written.slice(sign.length);
}

const directive = /%([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:\.(\*|\d*))?(?:\[(\d+)\])?(.|$)/gsu;

/**
 * Writes values by a format: `formatPrintf("%03d|%q", [7, "a"])` is `007|"a"`. A mistake in the format appears in the
 * result, such as `%!d(string=x)`. Verbs for floats also accept whole numbers, because templates have one number type.
 * Source: Go, package fmt
 */
export function formatPrintf(format: string, values: readonly unknown[]): string {
  let next = 0;
  let reordered = false;
  let bad = "";
  const size = (digits: string | undefined, smallest: number, mistake: string): number | undefined => {
    const value = digits === "*" ? values[next++] : digits === undefined ? undefined : Number(digits);
    if (typeof value === "number" && Number.isInteger(value) && value >= smallest) {
      return Math.min(maxSize, value);
    }
    bad += digits === "*" ? mistake : "";
    return undefined;
  };
  const written = format.replace(directive, (_whole, ...groups: (string | undefined)[]) => {
    const [flags = "", place1, wide, precise, place2, letter = ""] = groups;
    if (letter === "%") {
      return "%";
    }
    const place = place2 ?? place1;
    bad = "";
    let [width, all] = [size(wide, -maxSize, "%!(BADWIDTH)"), flags];
    const precision = size(precise, 0, "%!(BADPREC)");
    if (width !== undefined && width < 0) {
      [width, all] = [-width, `${flags}-`];
    }
    if (place !== undefined) {
      next = Number(place) - 1;
      reordered = true;
    }
    if (letter === "") {
      return "%!(NOVERB)";
    }
    if (next < 0 || next >= values.length) {
      return place === undefined ? `%!${letter}(MISSING)` : `%!${letter}(BADINDEX)`;
    }
    const verb: Verb = { letter, flags: all, width, precision };
    const value = values[next++];
    const written = formatted(value, verb);
    return bad + (Array.isArray(value) && letter !== "v" && letter !== "T" ? written : padded(written, verb));
  });
  const extra = values.slice(next).map((value) => `${typeName(value)}=${printed(value)}`);
  return extra.length === 0 || reordered ? written : `${written}%!(EXTRA ${extra.join(", ")})`;
}
