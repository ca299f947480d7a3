import type { Marked, MarkedExtension, Token, Tokens } from "marked";

/** A note of a document. */
interface Note {
  /** Content of the note as Markdown reads it. */
  readonly tokens: Token[];
  /** Number from 1 in the order of first references; 0 before the first one. */
  number: number;
  /** How often the document refers to the note. */
  references: number;
}

const definition = /^ {0,3}\[\^([^\]\s]+)\]:[ \t]*([^\n]*)(?:\n|$)/;
/** Beginnings of lines that are no continuation of a paragraph. */
const otherBlock = /^ {0,3}(?:[-*+>#]|\d+[.)] |```|~~~|\[\^)/;

/** A definition at the beginning of `source`: its source text (`raw`), its name, and its text without indentation. */
function readDefinition(source: string): { raw: string; name: string; text: string } | undefined {
  const found = definition.exec(source);
  if (found === null) {
    return undefined;
  }
  const [first, name = "", text = ""] = found;
  const lines = [text];
  let at = first.length;
  for (;;) {
    const [line = "", blanks = "", rest = ""] =
      /^((?:[ \t]*\n)*)([^\n]*)(?:\n|$)/.exec(source.slice(at)) ?? [];
    const indented = /^(?: {4}|\t)/.test(rest);
    const goesOn = rest.trim() !== "" && (indented || (blanks === "" && !otherBlock.test(rest)));
    if (!goesOn) {
      return { raw: source.slice(0, at), name, text: lines.join("\n") };
    }
    lines.push(
      ...blanks
        .split("\n")
        .slice(1)
        .map(() => ""),
      rest.replace(/^(?: {4}|\t)/, ""),
    );
    at += line.length;
  }
}

/** Id of the `count`th reference to a note, from 1: `fnref:1`, `fnref1:1`. */
function referenceId(number: number, count: number): string {
  return `fnref${count === 1 ? "" : count - 1}:${number}`;
}

function backLinks({ number, references }: Note): string {
  return Array.from({ length: references }, (_, index) => {
    const href = referenceId(number, index + 1);
    return `&#160;<a href="#${href}" class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a>`;
  }).join("");
}

/**
 * Footnotes in Markdown: `text[^a]` refers to `[^a]: the note`. Notes stand at the end of the document, in the order of the
 * first references; notes without a reference are left out. Source: goldmark, extension Footnote
 */
export class MarkdownFootnotes {
  readonly #notes = new Map<string, Note>();
  #count = 0;

  /**
   * The extension with which `marked` reads definitions and references. All definitions are read before the first
   * reference.
   */
  get extension(): MarkedExtension {
    const notes = this.#notes;
    const refer = (name: string) => this.#refer(name);
    return {
      extensions: [
        {
          name: "footnote",
          level: "block",
          start: (source) => /^ {0,3}\[\^[^\]\s]+\]:/m.exec(source)?.index,
          tokenizer(source): Tokens.Generic | undefined {
            const found = readDefinition(source);
            if (found === undefined) {
              return undefined;
            }
            const { raw, name, text } = found;
            if (!notes.has(name)) {
              notes.set(name, { tokens: this.lexer.blockTokens(text, []), number: 0, references: 0 });
            }
            return { type: "footnote", raw };
          },
          renderer: () => "",
        },
        {
          name: "footnoteReference",
          level: "inline",
          start: (source) => source.indexOf("[^"),
          tokenizer(source): Tokens.Generic | undefined {
            const [raw = "", name = ""] = /^\[\^([^\]\s]+)\]/.exec(source) ?? [];
            const html = raw === "" ? undefined : refer(name);
            return html === undefined ? undefined : { type: "footnoteReference", raw, html };
          },
          renderer: (token) => String(token.html),
        },
      ],
    };
  }

  /** The reference to a note; undefined where no such note is defined. */
  #refer(name: string): string | undefined {
    const note = this.#notes.get(name);
    if (note === undefined) {
      return undefined;
    }
    note.number ||= ++this.#count;
    const { number } = note;
    const id = referenceId(number, ++note.references);
    return `<sup id="${id}"><a href="#fn:${number}" class="footnote-ref" role="doc-noteref">${number}</a></sup>`;
  }

  /** All notes that were referred to, for the end of the document; "" for none. */
  section(marked: Marked): string {
    const used = [...this.#notes.values()].filter(({ number }) => number > 0);
    if (used.length === 0) {
      return "";
    }
    const items = used
      .sort((a, b) => a.number - b.number)
      .map((note) => {
        const body = marked.parser(note.tokens).trimEnd();
        const links = backLinks(note);
        const text = body.endsWith("</p>") ? `${body.slice(0, -4)}${links}</p>\n` : `${body}\n${links}`;
        return `<li id="fn:${note.number}">\n${text}</li>\n`;
      });
    return `<div class="footnotes" role="doc-endnotes">\n<hr>\n<ol>\n${items.join("")}</ol>\n</div>\n`;
  }
}
