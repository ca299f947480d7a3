import type { Plugin, Rolldown } from "vite";

/** A page's module; its name is the first part of the page's address. */
const pageModule = /\/src\/pages\/([a-z]+)\/\1-page\.tsx$/;

/**
 * Names the files of each page in the built index.html, in an element that public/page-facts.js reads. The
 * browser then fetches the files of the page in its address together with the app.
 */
export function pageFiles(): Plugin {
  return {
    name: "page-files",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle, chunk }) {
        const files = JSON.stringify(filesByPage(bundle ?? {}, chunk)).replaceAll('"', "&quot;");
        // The app's scripts come first. With a policy in a <meta>, browsers do not scan ahead of the parser,
        // which waits at the script that reads the names.
        const own =
          html.match(/<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\/script>)?/g) ?? [];
        const rest = own.reduce((text, tag) => text.replace(tag, ""), html);
        // Styles are only fetched so early: a script waits for the style sheets that stand before it.
        const styles = [...html.matchAll(/<link rel="stylesheet"([^>]*)>/g)].map(
          ([, named]) => `<link rel="preload" as="style"${named}>`,
        );
        const tags = [...own, ...styles, `<meta name="page-files" content="${files}">`];
        return rest.replace(/(?=<script src="page-facts.js")/, () => `${tags.join("\n    ")}\n    `);
      },
    },
  };
}

type Bundle = Rolldown.OutputBundle;

/** Files by page, relative to the page's base; without those that the entry brings by itself. */
function filesByPage(bundle: Bundle, entry: Rolldown.OutputChunk | undefined): Record<string, string[]> {
  const own = entry === undefined ? new Set<string>() : filesOf(bundle, entry.fileName);
  const pages: Record<string, string[]> = {};
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== "chunk") {
      continue;
    }
    const page = pageModule.exec(chunk.facadeModuleId ?? "")?.[1];
    if (page === undefined) {
      continue;
    }
    pages[page] = [...filesOf(bundle, chunk.fileName)].filter((file) => !own.has(file));
  }
  return pages;
}

/** A chunk, all that it imports, and their styles. */
function filesOf(bundle: Bundle, fileName: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[fileName];
  if (chunk?.type !== "chunk" || found.has(fileName)) {
    return found;
  }
  found.add(fileName);
  for (const file of chunk.viteMetadata?.importedCss ?? []) {
    found.add(file);
  }
  for (const imported of chunk.imports) {
    filesOf(bundle, imported, found);
  }
  return found;
}
