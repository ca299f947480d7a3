import { Marked } from "marked";
import { MarkdownFootnotes } from "./markdown-footnotes.ts";

/** The id of a heading: letters and digits in lower case, blanks become `-`. Source: goldmark, `parser.IDs` */
function headingId(text: string, taken: Set<string>): string {
  const name =
    text
      .trim()
      .replace(/[^A-Za-z0-9\s_-]/g, "")
      .replace(/[\s_]/g, "-")
      .toLowerCase() || "heading";
  let id = name;
  for (let count = 1; taken.has(id); count++) {
    id = `${name}-${count}`;
  }
  taken.add(id);
  return id;
}

/** Renders Markdown as HTML. Each heading gets a unique id for links. */
export function renderMarkdown(text: string): string {
  const taken = new Set<string>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: source }) {
        return `<h${depth} id="${headingId(source, taken)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  const footnotes = new MarkdownFootnotes();
  marked.use(footnotes.extension);
  const html = marked.parse(text, { async: false });
  return html + footnotes.section(marked);
}
