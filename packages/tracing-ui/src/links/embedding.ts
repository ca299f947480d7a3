/**
 * What a page leaves out when another page shows it in a frame, by the names of Jaeger's UI: `uiEmbed=v0` takes away the bar, and
 * with it the others take away more.
 */
export interface Embedding {
  readonly isEmbedded: boolean;
  /** `uiTimelineHideMinimap=1` */
  readonly hidesMinimap: boolean;
  /** `uiTimelineHideSummary=1`: the figures of the trace. */
  readonly hidesSummary: boolean;
  /** `uiTimelineCollapseTitle=1`: the trace's title and its figures. */
  readonly hidesTitle: boolean;
  /** `uiSearchHideGraph=1`: what stands above the results. */
  readonly hidesOverview: boolean;
}

/** @param search of the address that the frame was opened with */
export function embeddingOf(search: string): Embedding {
  const fields = new URLSearchParams(search);
  const isEmbedded = fields.get("uiEmbed") === "v0";
  const hides = (name: string) => isEmbedded && fields.get(name) === "1";
  return {
    isEmbedded,
    hidesMinimap: hides("uiTimelineHideMinimap"),
    hidesSummary: hides("uiTimelineHideSummary"),
    hidesTitle: hides("uiTimelineCollapseTitle"),
    hidesOverview: hides("uiSearchHideGraph"),
  };
}

/** Of this page, for as long as it is open: pages that one goes to from here stay in the same frame. */
export const embedding = embeddingOf(globalThis.location?.search ?? "");
