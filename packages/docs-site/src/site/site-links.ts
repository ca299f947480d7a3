import { existsSync, readFileSync, statSync } from "node:fs";
import { posix, resolve, sep } from "node:path";
import { escapeHtml } from "../markdown/escape-html.ts";
import type { LinkWriter } from "../markdown/render-markdown.ts";
import { htmlPath } from "./page.ts";

/** A link between two pages, checked after all pages are rendered. */
export interface InnerLink {
  /** Site path of the page that holds the link. */
  readonly from: string;
  /** Path below the site's root, without the fragment. */
  readonly to: string;
  /** Fragment after `#`; "" without a fragment. */
  readonly fragment: string;
}

/**
 * Converts links in pages to links of the site, and records them. Files of the repository outside of docs/ that
 * pages link to are copied to `files/`, so that the site is complete.
 */
export class SiteLinks {
  /** Links within the site, which `broken` checks. */
  readonly inner: InnerLink[] = [];
  /** Absolute paths of copied files, by their path in the site. */
  readonly files = new Map<string, string>();
  /** Faults found while links are written. */
  readonly faults: string[] = [];
  // Absolute paths.
  readonly #docsFolder: string;
  readonly #repository: string;

  /** @param repository target of links that lead out of docs/ */
  constructor(docsFolder: string, repository: string) {
    this.#docsFolder = resolve(docsFolder);
    this.#repository = resolve(repository);
  }

  /** Makes the writer of one page's links. @param from path of the page below docs/ */
  writerFor(from: string): LinkWriter {
    return {
      link: (href) => this.#link(from, href),
      image: (href, alt) => this.#image(from, href, alt),
    };
  }

  /**
   * Inner links whose target page or heading is missing.
   * @param ids ids of each page's headings, by the page's path in the site
   */
  broken(ids: ReadonlyMap<string, ReadonlySet<string>>): string[] {
    const missing = this.inner.flatMap(({ from, to, fragment }) => {
      const known = ids.get(to);
      const isThere = known === undefined ? this.files.has(to) : fragment === "" || known.has(fragment);
      return isThere ? [] : [`${from}: leads to ${to}${fragment && `#${fragment}`}, which is not there`];
    });
    return [...this.faults, ...missing];
  }

  /**
   * The address of a link.
   *
   * ```
   * ui.md#search     →  ui.html#search
   * ../Dockerfile    →  files/Dockerfile.txt, which is copied into the site
   * https://host/    →  unchanged
   * ```
   */
  #link(from: string, href: string): string | undefined {
    if (/^[a-z][a-z0-9+.-]*:/i.test(href)) {
      return href;
    }
    const [path = "", fragment = ""] = href.split("#", 2);
    if (path === "") {
      this.inner.push({ from, to: htmlPath(from), fragment });
      return `#${fragment}`;
    }
    const folder = posix.dirname(from);
    const target = posix.join(folder, decodeURI(path));
    if (target.startsWith("../")) {
      return this.#fileOutside(from, target);
    }
    const isFolder = path.endsWith("/") || !posix.basename(target).includes(".");
    const to = isFolder ? posix.join(target, "index.html") : htmlPath(target);
    this.inner.push({ from, to, fragment });
    if (!to.endsWith(".html")) {
      this.#copy(from, to, resolve(this.#docsFolder, target));
    }
    return posix.relative(folder, to) + (fragment && `#${fragment}`);
  }

  /**
   * Link to a file of the repository; undefined for a folder, whose name is shown without a link, and for a path that
   * is reported as a fault.
   */
  #fileOutside(from: string, target: string): string | undefined {
    const path = resolve(this.#docsFolder, target);
    if (!path.startsWith(this.#repository + sep) || !existsSync(path)) {
      this.faults.push(`${from}: leads to ${target}, which is not there`);
      return undefined;
    }
    if (statSync(path).isDirectory()) {
      return undefined;
    }
    const below = path.slice(this.#repository.length + 1).replaceAll(sep, "/");
    const to = /\.(txt|json|svg|png)$/.test(below) ? `files/${below}` : `files/${below}.txt`;
    this.files.set(to, path);
    return posix.relative(posix.dirname(from), to);
  }

  /** HTML of an image. Drawings become a part of the page, so that they use the page's theme. */
  #image(from: string, href: string, alt: string): string {
    const to = posix.join(posix.dirname(from), href);
    const path = resolve(this.#docsFolder, to);
    if (/^[a-z]+:/i.test(href) || !existsSync(path)) {
      this.faults.push(`${from}: the image ${href} is not in docs/`);
      return "";
    }
    if (to.endsWith(".svg")) {
      // Within the page a drawing follows the page's theme. As an image, on code hosts, it follows the system's theme.
      return `<div class="figure" role="img" aria-label="${escapeHtml(alt)}">${readFileSync(path, "utf8")}</div>`;
    }
    this.#copy(from, to, path);
    const source = posix.relative(posix.dirname(from), to);
    return `<img src="${escapeHtml(source)}" alt="${escapeHtml(alt)}" loading="lazy">`;
  }

  /** Registers a file that the site gets, or records a fault when the file is missing. */
  #copy(from: string, to: string, path: string): void {
    if (existsSync(path)) {
      this.files.set(to, path);
    } else {
      this.faults.push(`${from}: leads to ${to}, which is not there`);
    }
  }
}
