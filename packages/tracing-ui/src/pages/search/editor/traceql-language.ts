import {
  HighlightStyle,
  LanguageSupport,
  StreamLanguage,
  type StringStream,
  syntaxHighlighting,
} from "@codemirror/language";
import { tags } from "@lezer/highlight";

/** State between tokens and lines: the quote of a text that is still open; "" when no text is open. */
export interface TokenState {
  quote: '"' | "`" | "";
}

/** The kinds of token that have a colour. */
export type TokenKind = keyof typeof tokenTable;

const tokenTable = {
  attribute: tags.propertyName,
  intrinsic: tags.variableName,
  keyword: tags.atom,
  function: tags.function(tags.variableName),
  string: tags.string,
  number: tags.number,
  operator: tags.operator,
  bracket: tags.bracket,
};

const keywords = new Set(
  "true false nil error ok unset unspecified internal server client producer consumer with".split(" "),
);
const functions = new Set(
  (
    "by select count avg max min sum coalesce rate count_over_time sum_over_time avg_over_time min_over_time " +
    "max_over_time quantile_over_time histogram_over_time topk bottomk compare"
  ).split(" "),
);

const scope = "(?:span|resource|event|link|instrumentation|parent|trace)";
const letter = "[a-zA-Z_\\u00a1-\\uffff]";
const word = new RegExp(`^${letter}[a-zA-Z0-9_\\u00a1-\\uffff]*`);
/** Matches an attribute with an unquoted name. `quotedAttribute` matches a quoted name, up to its closing quote. */
const attribute = new RegExp(`^${scope}?\\.${letter}[^ \\t\\r\\n{}()=~!<>&|^,"]*`);
const quotedAttribute = new RegExp(`^${scope}?\\."(?:[^\\\\"]|\\\\.)*"`);
const intrinsic = new RegExp(`^${scope}:[a-zA-Z]+`);
const number = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:[nsumhµμdwy][0-9.nsumhµμdwy]*)?/;
/** Match the rest of a quoted text, with or without its closing quote. */
const restOfText = { '"': /^(?:[^\\"]|\\.)*\\?("?)/, "`": /^[^`]*(`?)/ };

/** Other tokens, in the order in which they are tried. */
const kinds: readonly (readonly [RegExp, TokenKind])[] = [
  [quotedAttribute, "attribute"],
  [attribute, "attribute"],
  [intrinsic, "intrinsic"],
];

/**
 * Reads the next token of a line for its colour. It accepts more than the language does, so that half-typed text
 * keeps its colours; only the server decides what is wrong.
 * @returns undefined for space and for letters without a meaning
 */
export function nextToken(stream: StringStream, state: TokenState): TokenKind | undefined {
  if (state.quote === "") {
    if (stream.eatSpace()) {
      return undefined;
    }
    const begun = stream.match(/^["`]/) as RegExpMatchArray | null;
    if (begun === null) {
      return plainToken(stream);
    }
    state.quote = begun[0] as '"' | "`";
  }
  const rest = stream.match(restOfText[state.quote]) as RegExpMatchArray;
  if (rest[1] !== "") {
    state.quote = "";
  }
  return "string";
}

function plainToken(stream: StringStream): TokenKind | undefined {
  const kind = kinds.find(([form]) => stream.match(form) !== null)?.[1];
  if (kind !== undefined) {
    return kind;
  }
  const name = stream.match(word) as RegExpMatchArray | null;
  if (name !== null) {
    return keywords.has(name[0]) ? "keyword" : functions.has(name[0]) ? "function" : "intrinsic";
  }
  if (stream.match(number) !== null) {
    return "number";
  }
  if (stream.match(/^[=~!<>&|+\-*/%^,]+/) !== null) {
    return "operator";
  }
  return /[{}()]/.test(stream.next() ?? "") ? "bracket" : undefined;
}

/**
 * The language of the editor: tokens for colours. It has no grammar: a generated parser would add nine kilobytes to
 * the app, and the server checks queries anyway.
 */
const language = StreamLanguage.define<TokenState>({
  name: "traceql",
  startState: () => ({ quote: "" }),
  copyState: ({ quote }) => ({ quote }),
  token: (stream, state) => nextToken(stream, state) ?? null,
  tokenTable,
  languageData: { closeBrackets: { brackets: ["{", "(", '"', "`"] } },
});

/** Each pair has a contrast of at least 4.5 on its theme's panel. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.variableName, color: "light-dark(oklch(0.45 0.1 230), oklch(0.82 0.08 230))" },
  { tag: tags.atom, color: "light-dark(oklch(0.45 0.14 300), oklch(0.82 0.1 300))" },
  { tag: tags.number, color: "light-dark(oklch(0.45 0.14 300), oklch(0.82 0.1 300))" },
  { tag: tags.string, color: "light-dark(oklch(0.43 0.1 150), oklch(0.82 0.1 150))" },
  { tag: tags.function(tags.variableName), color: "var(--text)", fontWeight: "600" },
  { tag: [tags.operator, tags.bracket], color: "var(--text-2)" },
]);

/** TraceQL with its colours. */
export function traceQl(): LanguageSupport {
  return new LanguageSupport(language, [syntaxHighlighting(colours)]);
}
