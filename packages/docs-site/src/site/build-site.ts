import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { renderMarkdown } from "../markdown/render-markdown.ts";
import { fillNavigation, type NavigationGroup } from "./navigation.ts";
import { htmlPath, type SitePage, type SourcePage } from "./page.ts";
import { pageHtml } from "./page-template.ts";
import { searchIndexScript } from "./search-index.ts";
import { SiteLinks } from "./site-links.ts";

export interface SiteSources {
  /** Folder of the pages: docs/. */
  readonly docsFolder: string;
  /** Root folder of the repository, the target of links that lead out of docs/. */
  readonly repository: string;
  /** Groups of pages in the navigation of every page. */
  readonly navigation: readonly NavigationGroup[];
  /** Pages that are not in docs/. */
  readonly madePages: readonly SourcePage[];
}

export interface BuiltSite {
  readonly pages: number;
  readonly bytes: number;
}

/** The reasons why a site cannot be built; each fault is a line. */
export class SiteError extends Error {
  /** One line for each fault. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the documentation has faults:\n${faults.join("\n")}`);
    this.name = "SiteError";
    this.faults = faults;
  }
}

// Files of the site that are not pages: styles and scripts.
const assets = join(import.meta.dirname, "..", "assets");
const require = createRequire(import.meta.url);

/** All pages of Markdown in a folder and below. */
export function readPages(folder: string): SourcePage[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md"))
    .sort()
    .map((path) => ({ path, markdown: readFileSync(join(folder, path), "utf8") }));
}

/** The list of a folder's pages, as Markdown. */
function folderList(folder: string, pages: readonly SitePage[]): string {
  const below = pages.filter(({ path }) => path.startsWith(`${folder}/`));
  const items = below.map(({ path, title }) => `- [${title}](${path.slice(folder.length + 1)})`);
  return `\n\n${items.join("\n")}\n`;
}

/** Pages that list a folder, for links to the folder itself. */
const folderPages: Readonly<Record<string, string>> = {
  adr: "# Decisions and their reasons",
};

/**
 * Builds the site into an empty folder.
 * @throws SiteError when a link or an image has no target, or a page has no title; Error when an entry of the
 * navigation has no page. Nothing is written then
 */
export function buildSite(sources: SiteSources, outFolder: string): BuiltSite {
  const links = new SiteLinks(sources.docsFolder, sources.repository);
  const faults: string[] = [];
  const read = ({ path, markdown }: SourcePage): SitePage => {
    const page = { path: htmlPath(path), ...renderMarkdown(markdown, links.writerFor(path)) };
    if (page.title === "") {
      faults.push(`${path}: has no title`);
    }
    return page;
  };
  const sourcePages = [...readPages(sources.docsFolder), ...sources.madePages];
  const pages = sourcePages.map(read);
  for (const [folder, heading] of Object.entries(folderPages)) {
    if (!sourcePages.some(({ path }) => path === `${folder}/index.md`)) {
      const path = `${folder}/index.md`;
      sourcePages.push({ path, markdown: "" });
      pages.push(read({ path, markdown: heading + folderList(folder, pages) }));
    }
  }
  const ids = new Map(pages.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]));
  faults.push(...links.broken(ids));
  if (faults.length > 0) {
    throw new SiteError(faults);
  }
  const entries = pages.map(({ title }, index) => ({ path: sourcePages[index]?.path ?? "", title }));
  const groups = fillNavigation(sources.navigation, entries);

  let bytes = 0;
  rmSync(outFolder, { recursive: true, force: true });
  // Pages, styles, scripts and the search index are counted in `bytes`; copied files are not.
  const write = (path: string, text: string) => {
    const target = join(outFolder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    bytes += Buffer.byteLength(text);
  };
  for (const page of pages) {
    write(page.path, pageHtml(page, groups));
  }
  for (const [path, source] of links.files) {
    mkdirSync(dirname(join(outFolder, path)), { recursive: true });
    copyFileSync(source, join(outFolder, path));
  }
  const tokens = readFileSync(require.resolve("ui-kit/theme/tokens.css"), "utf8");
  const styles = ["text.css", "bar.css", "frame.css"].map((name) => readFileSync(join(assets, name), "utf8"));
  write("assets/site.css", [tokens, ...styles].join("\n"));
  write("assets/theme.js", readFileSync(join(assets, "theme.js"), "utf8"));
  const search = readFileSync(join(dirname(require.resolve("minisearch")), "../umd/index.js"), "utf8");
  write("assets/minisearch.js", search.replace(/^\/\/# sourceMappingURL.*$/m, ""));
  write("assets/site.js", readFileSync(join(assets, "site.js"), "utf8"));
  write("assets/search-index.js", searchIndexScript(pages));
  return { pages: pages.length, bytes };
}
