// The pages of the directives: each directive has a page, and each example on it is a valid serverfile.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  adaptServerfile,
  standardFeatures,
  toServerfile,
} from "../../../admin-server/src/testing/serverfile.ts";
import { formatServerfile } from "../format/format-serverfile.ts";

const folder = new URL("../../../../docs/reference/directives/", import.meta.url);
/** Older names of directives, which the page of the newer name describes. */
const olderNames = new Map([
  ["basicauth", "basic_auth"],
  ["skip_log", "log_skip"],
]);

const pageOf = (name: string) => new URL(`${(olderNames.get(name) ?? name).replaceAll("_", "-")}.md`, folder);

const examples = readdirSync(folder).flatMap((page) =>
  [...readFileSync(new URL(page, folder), "utf8").matchAll(/^```serverfile\n(.*?)^```$/gms)].map(
    ([, text], index) => ({ page, index, text: text ?? "" }),
  ),
);

describe("the reference of directives", () => {
  test.each([...standardFeatures.names, "import"])("has a page for %s, with an example", (name) => {
    expect(existsSync(pageOf(name))).toBe(true);
    const page = readFileSync(pageOf(name), "utf8");
    expect(page).toContain(name);
    expect(page).toContain("```serverfile");
  });

  test("lists the handlers in the order in which they run", () => {
    const listed = [...readFileSync(new URL("README.md", folder), "utf8").matchAll(/^\| \[(\w+)\]/gm)].map(
      ([, name]) => name,
    );
    const inOrder = standardFeatures.order.filter((name) => !olderNames.has(name));
    expect(listed.slice(0, inOrder.length)).toEqual(inOrder);
  });

  test.each(examples)(
    "$page: example $index is adapted without a warning, and comes back",
    async ({ text }) => {
      const { result, warnings } = adaptServerfile(Buffer.from(text), {});
      expect(result).toHaveProperty("apps.http");
      expect(warnings).toEqual([]);
      expect(formatServerfile(text)).toBe(text);
      const back = await toServerfile(result);
      expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
    },
  );
});
