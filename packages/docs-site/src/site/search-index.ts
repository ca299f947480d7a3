import MiniSearch from "minisearch";
import type { SitePage } from "./page.ts";

/** Indexed fields. The page's script must use the same fields to read the index. */
const fields = ["title", "page", "text"];

/**
 * The index of all parts of all pages, as a script that a page loads at the first search. A page that is opened as a
 * local file may load a script, but no JSON.
 */
export function searchIndexScript(pages: readonly SitePage[]): string {
  const index = new MiniSearch({ fields, storeFields: ["title", "page", "href"] });
  // Ids of the index, one for each part of a page.
  let id = 0;
  for (const page of pages) {
    for (const { heading, text } of page.sections) {
      const href = heading.depth === 1 ? page.path : `${page.path}#${heading.id}`;
      index.add({ id: id++, title: heading.text, page: page.title, text, href });
    }
  }
  return `window.docsSearchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}
