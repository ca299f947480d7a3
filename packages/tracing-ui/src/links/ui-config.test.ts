import { describe, expect, test } from "vitest";
import { offeredLimits, offeredLookbacks } from "../searches/offered.ts";
import { firstLookback } from "../searches/search-address.ts";
import { readUiConfig, topFirst } from "./ui-config.ts";

describe("readUiConfig", () => {
  test("takes what Jaeger's UI documents, and passes over the rest", () => {
    const written = {
      tracking: { gaID: "UA-1" },
      archiveEnabled: false,
      dependencies: { menuEnabled: false, dagMaxNumServices: 200 },
      monitor: { menuEnabled: false, docsLink: "https://x" },
      themes: { enabled: false },
      criticalPathEnabled: false,
      search: { maxLookback: { label: "2 Days", value: "2d" }, maxLimit: 100, adjustEndTime: "1m" },
      menu: [
        { label: "Rules", url: "https://rules.example", anchorTarget: "_self" },
        { label: "More", items: [{ label: "Wiki", url: "/wiki" }] },
      ],
      linkPatterns: [{ type: "tags", key: ["a", "b"], url: "https://x/#{a}", text: "open" }],
    };
    const { tracking: _, dependencies: __, monitor: ___, ...known } = written;
    expect(readUiConfig(written).monitor).toEqual({ menuEnabled: false });
    expect(readUiConfig(written)).toMatchObject({ ...known, search: { maxLimit: 100, adjustEndTime: "1m" } });
    expect(readUiConfig(written).dependencies).toEqual({ menuEnabled: false });
  });

  test.each([null, undefined, "text", 7, [], { menu: 1, linkPatterns: {}, search: [], dependencies: null }])(
    "what cannot be read changes nothing: %j",
    (written) => {
      expect(readUiConfig(written)).toEqual({
        ...{ linkPatterns: [], menu: [], dependencies: { menuEnabled: true }, search: {} },
        archiveEnabled: undefined,
        ...{ monitor: { menuEnabled: true }, themes: { enabled: true }, criticalPathEnabled: true },
        ...{
          topTagPrefixes: [],
          forbidNewPage: false,
          disableFileUploadControl: false,
          disableJsonView: false,
        },
      });
    },
  );

  test("one bad entry costs no other", () => {
    const good = { type: "logs", key: "k", url: "https://x", text: "t" };
    const { linkPatterns } = readUiConfig({ linkPatterns: [{ type: "nonsense" }, good, null] });
    expect(linkPatterns).toEqual([good]);
  });
});

test("forms offer what the configuration allows", () => {
  const config = readUiConfig({ search: { maxLookback: { value: "3h" }, maxLimit: 100 } });
  expect(offeredLookbacks(config).map(({ value }) => value)).toEqual(["5m", "15m", "1h", "3h"]);
  expect(offeredLimits(config)).toEqual([20, 50, 100]);
  expect(offeredLookbacks(readUiConfig({ search: { maxLookback: { value: "1s" } } }))).toHaveLength(1);
  expect(offeredLookbacks(readUiConfig({})).at(-1)?.value).toBe("7d");
});

test.each([
  [{ defaultLookback: "3h" }, "3h"],
  [{ defaultLookback: "4h" }, "1h"],
  [{ defaultLookback: "custom" }, "1h"],
  [{ defaultLookback: 3 }, "1h"],
  [{}, "1h"],
])("a search without a time, by %j, takes %s", (search, expected) => {
  expect(firstLookback(readUiConfig({ search }))).toBe(expected);
});

test("attributes with a wanted prefix come first, in the order of the prefixes", () => {
  const keys = (prefixes: string[]) =>
    topFirst(
      ["a", "http.url", "db.name", "b", "http.method"].map((key) => ({ key })),
      prefixes,
    ).map(({ key }) => key);
  expect(keys(["db.", "http."])).toEqual(["db.name", "http.url", "http.method", "a", "b"]);
  expect(keys([])).toEqual(["a", "http.url", "db.name", "b", "http.method"]);
});
