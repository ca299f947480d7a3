import { posix } from "node:path";
import { escapeHtml } from "../markdown/escape-html.ts";
import type { FilledGroup, NavigationEntry } from "./navigation.ts";
import { htmlPath, type SitePage } from "./page.ts";

// Name of the site, in titles and in the bar.
const siteName = "Server and tracing";

/** An icon of 16 by 16 units, which has the colour of the text. */
function icon(path: string): string {
  return `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
}

const icons = {
  menu: icon("M2 4h12M2 8h12M2 12h12"),
  search: icon("M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.3 7.8 3.2 3.2"),
  theme: icon("M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z"),
};

/**
 * The list of all pages in the navigation. Groups with more than ten pages are collapsed, except the group of the
 * page.
 */
function navigationHtml(page: SitePage, groups: readonly FilledGroup[], folder: string): string {
  const entry = ({ path, title }: NavigationEntry) => {
    const isHere = htmlPath(path) === page.path;
    const href = posix.relative(folder, htmlPath(path));
    return `<li><a href="${escapeHtml(href)}"${isHere ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`;
  };
  return groups
    .map(({ title, entries }) => {
      const isOpen = entries.length <= 10 || entries.some(({ path }) => htmlPath(path) === page.path);
      return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${entries.map(entry).join("")}</ul></details>`;
    })
    .join("\n");
}

/** The list of the page's parts; "" for a page with fewer than two parts. */
function contentsHtml({ headings }: SitePage): string {
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (parts.length < 2) {
    return "";
  }
  const items = parts.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

/** Links to the page before and the page after, in the order of the navigation. */
function neighbours(page: SitePage, groups: readonly FilledGroup[], folder: string): string {
  const all = groups.flatMap(({ entries }) => entries);
  const at = all.findIndex(({ path }) => htmlPath(path) === page.path);
  const link = (entry: NavigationEntry | undefined, relation: "prev" | "next") =>
    entry === undefined
      ? "<span></span>"
      : `<a rel="${relation}" href="${escapeHtml(posix.relative(folder, htmlPath(entry.path)))}">${relation === "prev" ? "← " : ""}${escapeHtml(entry.title)}${relation === "next" ? " →" : ""}</a>`;
  return `<nav class="neighbours" aria-label="Pages beside this one">${link(all[at - 1], "prev")}${link(all[at + 1], "next")}</nav>`;
}

/** The whole HTML of a page. All addresses are relative, so that the page works below any path and as a local file. */
export function pageHtml(page: SitePage, groups: readonly FilledGroup[]): string {
  const folder = posix.dirname(page.path);
  const root = folder === "." ? "" : "../".repeat(folder.split("/").length);
  const title = page.path === "index.html" ? siteName : `${page.title} · ${siteName}`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}assets/site.css">
<script src="${root}assets/theme.js"></script>
<script src="${root}assets/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<button type="button" class="menu" aria-label="Pages" aria-expanded="false" aria-controls="pages">${icons.menu}</button>
<a class="home" href="${root}index.html">${siteName}</a>
<div class="search" role="search">
${icons.search}<input type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list"><kbd>/</kbd>
<ul id="results" class="results" role="listbox" aria-label="What was found" hidden></ul>
</div>
<button type="button" class="theme" aria-label="Theme Auto">${icons.theme}<span></span></button>
</header>
<div class="frame">
<nav id="pages" class="pages" aria-label="Pages">
${navigationHtml(page, groups, folder)}
</nav>
<main id="content">
<article>
${page.html}</article>
${neighbours(page, groups, folder)}
</main>
${contentsHtml(page)}
</div>
</body>
</html>
`;
}
