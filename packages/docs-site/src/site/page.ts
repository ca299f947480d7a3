import type { RenderedMarkdown } from "../markdown/render-markdown.ts";

/** A source page, written or generated. */
export interface SourcePage {
  /** Path below docs/, with `/`: `adr/001-….md`. */
  readonly path: string;
  readonly markdown: string;
}

export interface SitePage extends RenderedMarkdown {
  /** Path in the site: `adr/001-….html`. */
  readonly path: string;
}

/** `a/b.md` → `a/b.html`; `a/README.md`, which code hosts show for the folder, → `a/index.html`. */
export function htmlPath(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html");
}
