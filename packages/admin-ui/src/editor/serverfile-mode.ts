import { StreamLanguage, type StringStream } from "@codemirror/language";

/** State of the tokenizer at the end of the read text; the editor stores one for each line. */
interface ModeState {
  /** True when the next word is the first of a line: a directive or an address. */
  begins: boolean;
  /** The closing quote of an open quoted text; "" for none. */
  quote: string;
}

/**
 * Highlighting of a serverfile: first words of lines, texts, placeholders, comments. No directive is known by name. In
 * `reverse_proxy {host}:80 # all` the first word is a keyword, `{host}` a variable, and the rest from `#` a comment.
 */
export const serverfileMode = StreamLanguage.define<ModeState>({
  name: "serverfile",
  startState: () => ({ begins: true, quote: "" }),
  token(stream, state) {
    if (stream.sol() && state.quote === "") {
      state.begins = true;
    }
    if (state.quote !== "") {
      return readQuoted(stream, state);
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.peek() === "#") {
      stream.skipToEnd();
      return "comment";
    }
    const quote = stream.match(/^["`]/, true);
    if (quote) {
      state.begins = false;
      state.quote = String((quote as RegExpMatchArray)[0]);
      return readQuoted(stream, state);
    }
    if (stream.match(/^[{}](?=\s|$)/)) {
      return "bracket";
    }
    if (stream.match(/^\{[^\s{}]*\}/)) {
      return "variableName";
    }
    stream.match(/^[^\s{]+|^./);
    const isFirst = state.begins;
    state.begins = false;
    return isFirst ? "keyword" : null;
  },
});

/**
 * Reads to the closing quote, or to the end of the line. Backslashes escape in double quotes only, not in
 * backticks.
 */
function readQuoted(stream: StringStream, state: ModeState): string {
  while (!stream.eol()) {
    const letter = stream.next();
    if (letter === "\\" && state.quote === '"') {
      stream.next();
    } else if (letter === state.quote) {
      state.quote = "";
      break;
    }
  }
  return "string";
}
