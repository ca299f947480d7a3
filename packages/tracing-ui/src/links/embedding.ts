/**
 * The parts that a page hides inside a frame of another page, with the parameters of Jaeger's UI. `uiEmbed=v0`
 * hides the bar. The other parameters work only together with `uiEmbed=v0`.
 */
export interface Embedding {
  /** True when the address has `uiEmbed=v0`. Otherwise the other fields are false or undefined. */
  readonly isEmbedded: boolean;
  /** True for `uiTimelineHideMinimap=1`. */
  readonly hidesMinimap: boolean;
  /** True for `uiTimelineHideSummary=1`: hides the figures of the trace. */
  readonly hidesSummary: boolean;
  /** True for `uiTimelineCollapseTitle=1`: hides the trace's title and its figures. */
  readonly hidesTitle: boolean;
  /** True for `uiSearchHideGraph=1`: hides the overview above the search results. */
  readonly hidesOverview: boolean;
  /** `light` or `dark` for `uiTheme`: the theme of the page around the frame. Otherwise undefined. */
  readonly theme: "light" | "dark" | undefined;
}

/**
 * Reads the parameters of an address: `?uiEmbed=v0&uiTimelineHideMinimap=1` hides the bar and the minimap.
 * @param search the search part of the address that the frame was opened with
 */
export function embeddingOf(search: string): Embedding {
  const fields = new URLSearchParams(search);
  const isEmbedded = fields.get("uiEmbed") === "v0";
  const theme = isEmbedded ? fields.get("uiTheme") : null;
  const hides = (name: string) => isEmbedded && fields.get(name) === "1";
  return {
    isEmbedded,
    hidesMinimap: hides("uiTimelineHideMinimap"),
    hidesSummary: hides("uiTimelineHideSummary"),
    hidesTitle: hides("uiTimelineCollapseTitle"),
    hidesOverview: hides("uiSearchHideGraph"),
    theme: theme === "light" || theme === "dark" ? theme : undefined,
  };
}

/** The setting while this page is open. Read once, so that it still holds after links lose the parameters. */
export const embedding = embeddingOf(globalThis.location?.search ?? "");
