import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { violationsOn } from "ui-kit/testing/axe.ts";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSite, readPages } from "../src/site/build-site.ts";
import { navigation } from "../src/site/navigation.ts";
import { htmlPath } from "../src/site/page.ts";

const repository = join(import.meta.dirname, "..", "..", "..");
const out = mkdtempSync(join(tmpdir(), "docs-site-"));

beforeAll(() => {
  buildSite({ docsFolder: join(repository, "docs"), repository, navigation, madePages: [] }, out);
});

afterAll(() => {
  rmSync(out, { recursive: true });
});

test("Every page of docs/ is a page of the site, and none loads anything from elsewhere", () => {
  const files = readdirSync(out, { recursive: true, encoding: "utf8" });
  const pages = files.filter((path) => path.endsWith(".html"));
  const sources = readPages(join(repository, "docs")).map(({ path }) => htmlPath(path));
  expect(pages).toEqual(expect.arrayContaining(sources));
  for (const page of pages) {
    const html = readFileSync(join(out, page), "utf8");
    expect(
      html.match(/<(?:script|img|link|iframe)[^>]+(?:src|href)="(?:[a-z]+:)?\/[^"]*"/g),
      page,
    ).toBeNull();
  }
  expect(readFileSync(join(out, "assets/site.css"), "utf8")).not.toMatch(/@import|url\(/);
});

describe.skipIf(!existsSync(browserPath))(`In a browser, from files (${browserPath})`, () => {
  test.each([
    ["light", 1300],
    ["dark", 360],
  ] as const)(
    "%s, %i px wide: it fits, nothing keeps anybody out, and what is searched for opens",
    async (theme, width) => {
      const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
      try {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme });
        const complaints: string[] = [];
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
        page.on("request", (request) => {
          if (!/^(file|data):/.test(request.url())) {
            complaints.push(request.url());
          }
        });
        await page.goto(pathToFileURL(join(out, "processes.html")).href);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
        expect(overflow).toBe(0);
        const background = await page.evaluate(
          "getComputedStyle(document.body.parentElement).backgroundColor",
        );
        expect(background).toMatch(theme === "dark" ? /^oklch\(0\.18 / : /^oklch\(0\.978 /);
        await page.keyboard.press("/");
        await page.keyboard.type("If-Match");
        await page.locator("[role=option]").first().waitFor();
        await page.keyboard.press("Enter");
        await page.waitForURL(/admin-api\.html#change-together-with-others-etag-and-if-match$/);
        expect(complaints).toEqual([]);
        // The last check, because axe itself requests files in a way that browsers refuse.
        expect(await violationsOn(page)).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    60_000,
  );
});
