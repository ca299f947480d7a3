/**
 * The parts that a page leaves out inside a frame of another page, by the names of Jaeger's UI. `uiEmbed=v0`
 * removes the bar; with it the other parameters remove more.
 */
export interface Embedding {
  /** Whether the page is in a frame that asked for it; without it the other fields are false. */
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

/**
 * Reads the parameters of an address: `?uiEmbed=v0&uiTimelineHideMinimap=1` hides the bar and the minimap.
 * @param search the search part of the address that the frame was opened with
 */
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

/** The setting of this page while it is open: pages that are reached from here stay in the same frame. */
export const embedding = embeddingOf(globalThis.location?.search ?? "");
