import { expect, test } from "vitest";
import { embeddingOf } from "./embedding.ts";

test("only a page that says it is in a frame leaves parts out", () => {
  expect(embeddingOf("?uiTimelineHideMinimap=1")).toMatchObject({ isEmbedded: false, hidesMinimap: false });
  expect(embeddingOf("?uiEmbed=v1").isEmbedded).toBe(false);
  expect(embeddingOf("?uiEmbed=v0&uiTimelineHideMinimap=1&uiTimelineHideSummary=1")).toEqual({
    isEmbedded: true,
    hidesMinimap: true,
    hidesSummary: true,
    hidesTitle: false,
    hidesOverview: false,
    theme: undefined,
  });
  expect(embeddingOf("?uiEmbed=v0&uiSearchHideGraph=1&uiTimelineCollapseTitle=1")).toMatchObject({
    hidesTitle: true,
    hidesOverview: true,
  });
});

test.each([
  ["?uiEmbed=v0&uiTheme=dark", "dark"],
  ["?uiTheme=light&uiEmbed=v0", "light"],
  ["?uiEmbed=v0&uiTheme=system", undefined],
  ["?uiTheme=dark", undefined],
])("%s has the theme %s", (search, theme) => {
  expect(embeddingOf(search).theme).toBe(theme);
});
