#!/usr/bin/env node
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changelogOf } from "../src/reference/changelog.ts";
import { referencePages } from "../src/reference/reference-pages.ts";
import { buildSite, SiteError } from "../src/site/build-site.ts";
import { navigation } from "../src/site/navigation.ts";
import type { SourcePage } from "../src/site/page.ts";

const help = `Builds the documentation from docs/ as a static site that works from any path, and from files.

  docs-site [--out <folder>] [--no-reference]

  --out           where to; packages/docs-site/dist unless named. What is in it goes
  --no-reference  without the pages that are made by asking every program, which takes some seconds
`;

const repository = join(import.meta.dirname, "..", "..", "..");

/** The page with the changes of each version, and of the next version from `changelog.d/`. */
function changes(): SourcePage {
  return { path: "reference/changes.md", markdown: changelogOf(repository) };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      "no-reference": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const out = values.out ?? join(import.meta.dirname, "..", "dist");
  const madePages = [changes(), ...(values["no-reference"] === true ? [] : await referencePages())];
  const sources = { docsFolder: join(repository, "docs"), repository, navigation, madePages };
  const { pages, bytes } = buildSite(sources, out);
  process.stdout.write(`${pages} pages, ${Math.ceil(bytes / 1024)} KiB: ${join(out, "index.html")}\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(
    `docs-site: ${error instanceof SiteError ? error.message : ((error as Error).stack ?? error)}\n`,
  );
  process.exitCode = 1;
}
