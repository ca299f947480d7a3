// The pages of the global options: each option has a page with an example that uses it.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  adaptServerfile,
  adaptWithModules,
  toServerfile,
} from "../../../admin-server/src/testing/serverfile.ts";
import { formatServerfile } from "../format/format-serverfile.ts";
import { globalOptionNames } from "./read-options.ts";

const folder = new URL("../../../../docs/reference/options/", import.meta.url);

const pages = readdirSync(folder);
const fileOf = (name: string) => `${name.replaceAll("_", "-")}.md`;
const pageOf = (name: string) => readFileSync(new URL(fileOf(name), folder), "utf8");

describe("the reference of global options", () => {
  test("has a page for each, and lists it", () => {
    const list = pageOf("README");
    const named = globalOptionNames.filter((name) => pageOf(name).startsWith(`# ${name}\n`));
    expect(named).toEqual([...globalOptionNames]);
    expect(globalOptionNames.filter((name) => !list.includes(`| [${name}](${fileOf(name)}) |`))).toEqual([]);
    expect(pages.length).toBe(globalOptionNames.length + 1);
  });

  test.each([...globalOptionNames])(
    "%s: the example is adapted without a warning, and says more than without it, and comes back",
    async (name) => {
      const [, text = ""] = /^```serverfile\n(.*?)^```$/ms.exec(pageOf(name)) ?? [];
      expect(text).toMatch(new RegExp(`^\\t${name}\\b`, "m"));
      const { result, warnings } = await adaptWithModules(Buffer.from(text));
      expect(warnings).toEqual([]);
      expect(formatServerfile(text)).toBe(text);
      if (name !== "modules") {
        expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
      }
      const without = text.replace(/^\{\n.*?^\}\n\n/ms, "").replace(/maintenance/, "respond");
      expect(adaptServerfile(Buffer.from(without), {}).result).not.toEqual(result);
    },
  );
});
