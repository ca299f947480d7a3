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
  });
  expect(embeddingOf("?uiEmbed=v0&uiSearchHideGraph=1&uiTimelineCollapseTitle=1")).toMatchObject({
    hidesTitle: true,
    hidesOverview: true,
  });
});
