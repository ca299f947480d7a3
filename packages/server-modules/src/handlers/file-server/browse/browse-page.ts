import { humanSize } from "./human-size.ts";
import type { ListedFile, Listing } from "./listing.ts";
import type { OrderName, SortName } from "./order.ts";

/** The content of a listing's page. */
export interface PageListing extends Listing {
  /** Decoded path of the folder, as the visitor sees it. */
  readonly path: string;
  /** Column that the list is sorted by. */
  readonly sort: SortName;
  /** Direction of the sorting. */
  readonly order: OrderName;
  /** Rows, or tiles with thumbnails. */
  readonly layout: "list" | "grid";
  /** Number of entries that the query requests; 0: all. */
  readonly limit: number;
  /** Number of entries that the query skips. */
  readonly offset: number;
}

/** Style sheet, shared with the sample of a template. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1.5rem; }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
nav, p { color: color-mix(in srgb, currentColor 75%, transparent); }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .6rem; text-align: start; }
tr:hover td { background: var(--soft); } td:first-child { overflow-wrap: anywhere; }
.number { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
ul { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); list-style: none; padding: 0; }
li { border: 1px solid var(--line); border-radius: .5rem; overflow-wrap: anywhere; padding: .75rem; }
li small { display: block; }
`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Links to all folders above: `/ a/ b/`. */
function crumbs(path: string): string {
  const parts = path.replace(/\/$/, "").split("/");
  return parts
    .map((part, index) => {
      const up = "../".repeat(parts.length - index - 1) || "./";
      return `<a href="${up}">${index === 0 ? "/" : `${escapeHtml(part)}/`}</a>`;
    })
    .join("");
}

/** A heading that links to the list sorted by its column. On the current column the link reverses the order. */
function sortLink(page: PageListing, sort: SortName, text: string): string {
  const order = page.sort === sort && page.order === "asc" ? "desc" : "asc";
  const mark = page.sort === sort ? (page.order === "asc" ? " ▲" : " ▼") : "";
  const grid = page.layout === "grid" ? "&amp;layout=grid" : "";
  return `<a href="?sort=${sort}&amp;order=${order}${grid}">${text}${mark}</a>`;
}

/** The link of an entry, followed by the target of a symbolic link. */
function nameOf(item: ListedFile): string {
  const target = item.symlink_path === undefined ? "" : ` → ${escapeHtml(item.symlink_path)}`;
  return `<a href="${escapeHtml(item.url)}">${escapeHtml(item.name)}</a>${target}`;
}

function row(item: ListedFile): string {
  const seconds = item.mod_time.slice(0, 19);
  const size = item.is_dir ? "—" : humanSize(item.size);
  return `<tr><td>${nameOf(item)}</td><td class="number" data-size="${item.size}">${size}</td><td class="number"><time datetime="${seconds}Z">${seconds.replace("T", " ")}</time></td></tr>`;
}

function card(item: ListedFile): string {
  return `<li>${nameOf(item)}<small>${item.is_dir ? "folder" : humanSize(item.size)}</small></li>`;
}

/** The entries as a table or as tiles. */
function body(page: PageListing): string {
  if (page.layout === "grid") {
    return `<ul>\n${page.items.map(card).join("\n")}\n</ul>`;
  }
  const up = page.path === "/" ? "" : '<tr><td><a href="../">../</a></td><td></td><td></td></tr>\n';
  return `<table>
<thead><tr><th>${sortLink(page, page.sort === "name" ? "name" : "namedirfirst", "Name")}</th><th class="number">${sortLink(page, "size", "Size")}</th><th class="number">${sortLink(page, "time", "Modified (UTC)")}</th></tr></thead>
<tbody>
${up}${page.items.map(row).join("\n")}
</tbody>
</table>`;
}

/**
 * The content security policy of the built-in page, which contains file names that other people chose. Source:
 * Caddy
 */
export function pagePolicy(nonce: string): string {
  return (
    "default-src 'none'; img-src 'self'; object-src 'none'; base-uri 'none'; " +
    `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-ancestors 'self'; form-action 'self';`
  );
}

/** The built-in page of a listing: one document without scripts. @param nonce the nonce of its {@link pagePolicy} */
export function browsePage(page: PageListing, nonce: string): string {
  const title = escapeHtml(page.path);
  const other = page.layout === "grid" ? "list" : "grid";
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
<h1>${crumbs(page.path)}</h1>
<p>${page.folders} ${page.folders === 1 ? "folder" : "folders"}, ${page.files} ${page.files === 1 ? "file" : "files"}, ${humanSize(page.totalBytes)} · <a href="?layout=${other}">${other}</a></p>
${body(page)}
</body>
</html>
`;
}
