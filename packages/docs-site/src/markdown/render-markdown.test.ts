import { expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.ts";

const links = { link: (href: string) => href, image: () => "" };

test("Headings have ids and anchors, and each has the text below it for the search", () => {
  const page = renderMarkdown(
    "# One & `two`\n\nFirst.\n\n## Sub\n\n| a | b |\n|---|---|\n| c | `d<e.f` |\n",
    links,
  );
  expect(page.title).toBe("One & two");
  expect(page.headings.map(({ id }) => id)).toEqual(["one--two", "sub"]);
  expect(page.sections.map(({ text }) => text.trim())).toEqual(["First.", "a b\nc d<e.f"]);
  expect(page.html).toContain('<h2 id="sub">Sub<a class="anchor" href="#sub"');
});

test("Code that is a file has its name above it", () => {
  const { html } = renderMarkdown('```yaml title="a.yaml"\nb: 1\n```\n', links);
  expect(html).toContain('data-language="yaml"><p class="code-title">a.yaml</p><pre');
});

test("Code of a known language has parts with classes, other code is as it was, escaped", () => {
  const { html } = renderMarkdown('```json\n{"a": 1}\n```\n\n```\n<b> & "c"\n```\n', links);
  expect(html).toContain('<span class="hljs-attr">&quot;a&quot;</span>');
  expect(html).toContain("<code>&lt;b&gt; &amp; &quot;c&quot;</code>");
});

test("A table without words in its head has none", () => {
  const { html } = renderMarkdown("| | |\n|---|---|\n| a | b |\n", links);
  expect(html).not.toContain("<thead>");
  expect(html).toContain("<td>a</td>");
});

test("An empty cell of a head is no head", () => {
  const { html } = renderMarkdown("| | b |\n|---|---|\n| c | d |\n", links);
  expect(html).toContain("<thead><tr><td></td><th>b</th></tr></thead>");
});

test("A link without an address is its text", () => {
  const { html } = renderMarkdown("[text](somewhere)", { ...links, link: () => undefined });
  expect(html).toBe("<p>text</p>\n");
});

test("Long names may break at their dots and lines", () => {
  const { html } = renderMarkdown("`--a.long-name` `x<y`", links);
  expect(html).toBe("<p><code>--a.<wbr>long-<wbr>name</code> <code>x&lt;y</code></p>\n");
});
