import { Marked, type RendererObject, type Token, type Tokens } from "marked";
import { escapeHtml } from "./escape-html.ts";
import { HeadingIds } from "./heading-ids.ts";
import { highlight } from "./highlight.ts";

export interface Heading {
  /** Level of the heading; 1 for the title of a page. */
  readonly depth: number;
  /** Id of the heading, for links. */
  readonly id: string;
  /** Text of the heading without Markdown marks. */
  readonly text: string;
}

/** The text below one heading, for the search. */
export interface Section {
  /** The heading above the text. */
  readonly heading: Heading;
  /** Plain text. */
  readonly text: string;
}

export interface RenderedMarkdown {
  /** The first heading of depth 1; empty without one. */
  readonly title: string;
  readonly html: string;
  /** All headings, in order. */
  readonly headings: readonly Heading[];
  /** Texts of the sections, in order. Text above the first heading is left out. */
  readonly sections: readonly Section[];
}

/** Writes a page's links as addresses of the site, and its images as HTML. */
export interface LinkWriter {
  /** @returns the address; undefined: the page shows the link's text only */
  link(href: string): string | undefined;
  /** @returns HTML of an image. @param alt description, as plain text */
  image(href: string, alt: string): string;
}

/** Plain text of tokens, without marks. */
function plainText(tokens: readonly Token[] | undefined): string {
  let text = "";
  for (const token of tokens ?? []) {
    if (token.type === "table") {
      const { header, rows } = token as Tokens.Table;
      text += [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(" ")).join("\n");
    } else if (token.type === "list") {
      text += (token as Tokens.List).items.map((item) => plainText(item.tokens)).join("\n");
    } else if (token.type === "html") {
      text += " ";
    } else if ("tokens" in token && token.tokens !== undefined) {
      text += plainText(token.tokens);
    } else if ("text" in token && typeof token.text === "string") {
      text += withoutEntities(token.text);
    }
    text += ["paragraph", "heading", "code", "table", "list", "blockquote"].includes(token.type) ? "\n" : "";
  }
  return text;
}

/** Replaces the parser's HTML entities by their characters. */
function withoutEntities(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

/**
 * Renders the parts of a page whose HTML differs from the library's.
 * @param idOf heading of each heading token; filled before the page is rendered
 */
function rendererOf(links: LinkWriter, idOf: ReadonlyMap<Token, Heading>): RendererObject {
  return {
    heading(token) {
      const { depth, id } = idOf.get(token) ?? { depth: token.depth, id: "" };
      const inner = this.parser.parseInline(token.tokens);
      const anchor = `<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${depth} id="${id}">${inner}${depth === 1 ? "" : anchor}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const address = links.link(href);
      const inner = this.parser.parseInline(tokens);
      return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
    },
    image({ href, text }) {
      return links.image(href, text);
    },
    codespan({ text }) {
      return `<code>${escapeHtml(text).replace(/(?<=\w[._/=-])(?=\w)/g, "<wbr>")}</code>`;
    },
    code({ text, lang = "" }) {
      const [language = ""] = lang.split(/\s/, 1);
      const label = language === "" ? "" : ` data-language="${escapeHtml(language)}"`;
      // `title="site.json"` names the file whose text the block shows.
      const title = /(?<=\btitle=")[^"]+/.exec(lang)?.[0];
      const caption = title === undefined ? "" : `<p class="code-title">${escapeHtml(title)}</p>`;
      return `<div class="code"${label}>${caption}<pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`;
    },
    table(token) {
      const row = (cells: Tokens.TableCell[], kind: "th" | "td") => {
        const html = cells.map(({ align, text, tokens }) => {
          // An empty header cell becomes a plain cell, because screen readers would announce the header.
          const tag = text === "" ? "td" : kind;
          const side = align === null ? "" : ` class="${align}"`;
          return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>`;
        });
        return `<tr>${html.join("")}</tr>`;
      };
      const isPlain = token.header.every(({ text }) => text === "");
      const head = isPlain ? "" : `<thead>${row(token.header, "th")}</thead>`;
      const body = token.rows.map((cells) => row(cells, "td")).join("\n");
      return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
  };
}

/** Renders GitHub's Markdown as the content of a page. */
export function renderMarkdown(markdown: string, links: LinkWriter): RenderedMarkdown {
  const ids = new HeadingIds();
  const headings: Heading[] = [];
  const idOf = new Map<Token, Heading>();
  const marked = new Marked({
    gfm: true,
    renderer: rendererOf(links, idOf),
  });
  const tokens = marked.lexer(markdown);
  const sections: { heading: Heading; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const { depth, tokens: inner } = token as Tokens.Heading;
      const text = plainText(inner).trim();
      const heading = { depth, id: ids.next(text), text };
      idOf.set(token, heading);
      headings.push(heading);
      sections.push({ heading, text: "" });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) {
        section.text += plainText([token]);
      }
    }
  }
  const title = headings.find(({ depth }) => depth === 1)?.text ?? "";
  return { title, html: marked.parser(tokens), headings, sections };
}
