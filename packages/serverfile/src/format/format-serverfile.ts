import { isSpace, trimSpace } from "../lexer/white-space.ts";

/** Deepest level that is indented further, as in the model. */
const maxIndent = 10;
const heredocMarker = /^[A-Za-z0-9_-]+$/;
/** Characters that mean nothing to any format rule, after the first of a word. */
const plainRun = /[!$-;=?-[\]^_a-z|~]+/y;

/**
 * Where a heredoc is:
 *
 * - `closed`: not in one
 * - `opening`: behind `<<`, in the marker
 * - `open`: in its lines, which stay as they are
 */
type HeredocState = "closed" | "opening" | "open";

/**
 * Formats a text character by character: it changes white space and braces, and copies everything else.
 * One instance formats one text.
 */
class Formatter {
  readonly #text: string;
  /** Where the character that is being taken stands. */
  #at = 0;
  #out = "";
  /** The character that was written last. */
  #last = "";
  /** Whether white space stands before the current character. */
  #afterSpace = true;
  /** Whether nothing was written in the current line of the output. */
  #atLineStart = true;
  /** True when the current word begins with an opening brace. */
  #brace = false;
  /** False while an opening brace waits: what follows decides whether a blank or a line break stands before it. */
  #braceWritten = false;
  /** Whether white space stood before the brace that waits. */
  #braceAfterSpace = false;
  /** True when the pending brace was alone on its line. */
  #braceOnOwnLine = false;
  /** Line breaks since the last word; two of them make an empty line. */
  #newLines = 0;
  #inComment = false;
  /** Quotes that are open, the inner one last. */
  #quotes = "";
  /** True when a backslash escapes the current character. */
  #escaped = false;
  #heredoc: HeredocState = "closed";
  /** True when the current word contains an escaped `<`. Then it opens no heredoc. */
  #heredocEscaped = false;
  #marker = "";
  /** How much of the current line of a heredoc was written. */
  #lineLength = 0;
  /** Open blocks, at most `maxIndent`. */
  #nesting = 0;
  /** The word so far that is being written. */
  #word = "";
  /** The first word of the line. */
  #firstWord = "";
  /**
   * True when the previous line is a top-level import; then `{` on its own line is the block of a site without
   * keys.
   */
  #afterImport = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** The formatted text. Each character is taken once; long runs of plain ones are copied whole. */
  format(): string {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const size = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      this.#at = at;
      this.#take(text.slice(at, at + size));
      at += size;
      if (this.#isWithinText()) {
        plainRun.lastIndex = at;
        const run = plainRun.exec(text)?.[0] ?? "";
        this.#writeRun(run);
        at += run.length;
      }
    }
    if (this.#brace && !this.#braceWritten) {
      this.#writeBrace();
    }
    return `${trimSpace(this.#out)}\n`;
  }

  #write(char: string): void {
    this.#out += char;
    this.#last = char;
  }

  /** True when the next plain characters are copied unchanged: inside a word, a comment or quotes. */
  #isWithinText(): boolean {
    return (
      this.#heredoc === "closed" &&
      !this.#escaped &&
      !this.#afterSpace &&
      (this.#inComment ||
        this.#quotes !== "" ||
        (!this.#atLineStart && this.#newLines === 0 && (!this.#brace || this.#braceWritten)))
    );
  }

  #writeRun(run: string): void {
    if (run === "") {
      return;
    }
    if (!this.#inComment && this.#quotes === "") {
      this.#word += run;
    }
    this.#out += run;
    this.#last = run.charAt(run.length - 1);
  }

  #indent(): void {
    if (this.#nesting > 0) {
      this.#out += "\t".repeat(this.#nesting);
      this.#last = "\t";
    }
  }

  #nextLine(): void {
    this.#write("\n");
    this.#atLineStart = true;
  }

  /** Ends a word, and remembers the first word of each line. */
  #endWord(): void {
    if (this.#word !== "" && this.#firstWord === "") {
      this.#firstWord = this.#word;
    }
    this.#word = "";
  }

  /** Ends a line of the input. */
  #endLine(): void {
    this.#endWord();
    if (this.#firstWord !== "") {
      this.#afterImport = this.#nesting === 0 && this.#firstWord === "import";
    } else if (!this.#brace || !this.#braceOnOwnLine || this.#braceWritten) {
      this.#afterImport = false;
    }
    this.#firstWord = "";
  }

  /** Writes the opening brace that waits, its line break, and indents what follows. */
  #writeBrace(): void {
    if (this.#nesting === 0 && this.#last === "}") {
      this.#nextLine();
      this.#nextLine();
    }
    this.#brace = false;
    if (this.#braceOnOwnLine && this.#afterImport) {
      if (this.#last !== "\n") {
        this.#nextLine();
      }
      this.#indent();
    } else if (this.#atLineStart) {
      this.#indent();
    } else if (!this.#braceAfterSpace || !isSpace(this.#last.charCodeAt(0))) {
      this.#write(" ");
    }
    this.#write("{");
    this.#braceWritten = true;
    this.#braceOnOwnLine = false;
    this.#nextLine();
    this.#newLines = 0;
    if (this.#nesting < maxIndent) {
      this.#nesting++;
    }
  }

  /** @returns whether the character was part of a heredoc */
  #takeHeredoc(char: string, space: boolean): boolean {
    if (
      this.#quotes === "" &&
      this.#heredoc === "closed" &&
      !this.#heredocEscaped &&
      this.#afterSpace &&
      this.#last === "<" &&
      char === "<"
    ) {
      this.#write(char);
      this.#heredoc = "opening";
      this.#afterSpace = false;
      return true;
    }
    if (this.#heredoc === "opening") {
      if (char === "\n") {
        if (!heredocMarker.test(this.#marker)) {
          this.#closeHeredoc();
          this.#nextLine();
          return true;
        }
        this.#heredoc = "open";
        this.#write(char);
        return true;
      }
      if (!space) {
        this.#marker += char;
        this.#write(char);
        return true;
      }
      this.#closeHeredoc();
    }
    if (this.#heredoc === "open") {
      if (space && this.#endsWithMarker()) {
        this.#closeHeredoc();
        return false;
      }
      this.#write(char);
      this.#lineLength = char === "\n" ? 0 : this.#lineLength + char.length;
      return true;
    }
    return false;
  }

  /** Whether the marker stands right before the current character, in this line. */
  #endsWithMarker(): boolean {
    const { length } = this.#marker;
    return this.#lineLength >= length && this.#text.startsWith(this.#marker, this.#at - length);
  }

  #closeHeredoc(): void {
    this.#heredoc = "closed";
    this.#marker = "";
    this.#lineLength = 0;
  }

  /** Comments, escapes and quotes are written as they are. @returns whether the character was part of one */
  #takeLiteral(char: string): boolean {
    if (this.#inComment) {
      if (char === "\n") {
        this.#inComment = false;
        this.#afterSpace = true;
        this.#nextLine();
      } else {
        this.#write(char);
      }
      return true;
    }
    if (!this.#escaped && char === "\\") {
      if (this.#afterSpace) {
        this.#write(" ");
        this.#afterSpace = false;
      }
      this.#write(char);
      this.#escaped = true;
      return true;
    }
    if (this.#escaped) {
      this.#heredocEscaped ||= char === "<";
      this.#write(char);
      this.#escaped = false;
      return true;
    }
    return this.#takeQuoted(char);
  }

  /** Follows quotes. Within quotes, white space and braces stay as they are. */
  #takeQuoted(char: string): boolean {
    if (char === "`") {
      this.#quotes =
        this.#quotes === '"`' ? '"' : this.#quotes === "`" ? "" : this.#quotes === '"' ? '"`' : "`";
    }
    if (this.#quotes === '"') {
      if (char === '"') {
        this.#quotes = "";
      }
      this.#write(char);
      return true;
    }
    if (char === '"') {
      if (this.#quotes === "" && this.#afterSpace) {
        this.#quotes = '"';
      } else if (this.#quotes === '"`') {
        this.#quotes = "";
      }
    }
    if (this.#quotes === "`" && char === "`") {
      // The model forgets the line break and the brace that stand before it, and so changes what the text says.
      this.#takeWord(char);
      return true;
    }
    if (this.#quotes.includes("`")) {
      this.#write(char);
      this.#afterSpace = false;
      return true;
    }
    return false;
  }

  /** Takes one character of the input. */
  #take(char: string): void {
    const space = isSpace(char.charCodeAt(0));
    if (this.#takeHeredoc(char, space)) {
      return;
    }
    if (this.#last === "<" && this.#afterSpace) {
      this.#afterSpace = false;
    }
    if (this.#takeLiteral(char)) {
      return;
    }
    if (space) {
      this.#endWord();
      this.#afterSpace = true;
      this.#heredocEscaped = false;
      if (char === "\n") {
        this.#endLine();
        this.#newLines++;
      }
      return;
    }
    this.#takeWord(char);
  }

  /** Takes a character that is no white space, outside of quotes. */
  #takeWord(char: string): void {
    const afterSpace = this.#afterSpace;
    this.#afterSpace = false;
    if (char === "#") {
      this.#inComment = true;
    }
    if (this.#brace && afterSpace && !this.#braceWritten) {
      this.#writeBrace();
    }
    if (char === "{") {
      this.#takeOpenBrace(afterSpace);
    } else if (char === "}" && (afterSpace || !this.#brace)) {
      this.#takeCloseBrace();
    } else {
      this.#takePlain(char, afterSpace);
    }
  }

  #takeOpenBrace(afterSpace: boolean): void {
    this.#endWord();
    if (this.#brace && !this.#braceWritten) {
      this.#writeBrace();
    }
    this.#brace = true;
    this.#braceAfterSpace = afterSpace && !this.#atLineStart;
    this.#braceOnOwnLine = this.#newLines > 0;
    if (this.#braceAfterSpace && this.#newLines === 0) {
      this.#write(" ");
    }
    this.#braceWritten = false;
  }

  #takeCloseBrace(): void {
    this.#endWord();
    if (this.#last !== "\n") {
      this.#nextLine();
    }
    if (this.#nesting > 0) {
      this.#nesting--;
    }
    this.#indent();
    this.#write("}");
    this.#newLines = 0;
  }

  #takePlain(char: string, afterSpace: boolean): void {
    for (let count = Math.min(this.#newLines, 2); count > 0; count--) {
      this.#nextLine();
    }
    this.#newLines = 0;
    if (this.#atLineStart) {
      this.#indent();
    }
    if (this.#nesting === 0 && this.#last === "}" && this.#atLineStart) {
      this.#nextLine();
      this.#nextLine();
    }
    if (!this.#atLineStart && afterSpace) {
      this.#write(" ");
    }
    if (this.#brace && !this.#braceWritten) {
      this.#write("{");
      this.#braceWritten = true;
    }
    if (afterSpace && char === "<") {
      this.#afterSpace = true;
    }
    this.#word += char;
    this.#write(char);
    this.#atLineStart = false;
  }
}

/**
 * The standard form of a serverfile: one tab for each level, one blank between words, at most one empty line,
 * and a line break at the end. Words keep their meaning. Source: the public model (Caddy 2.11), seen running
 */
export function formatServerfile(text: string): string {
  return new Formatter(trimSpace(text)).format();
}
