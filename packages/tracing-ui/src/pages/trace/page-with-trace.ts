import { type SavedTrace, savedTraceId } from "./saved-trace.ts";

/** The place of the data in the viewer's page; build/offline-viewer.ts writes it. */
const place = "<!-- trace data -->";

/**
 * The viewer's page with a trace in it.
 * @param page the viewer, as it was built
 * @returns undefined when the page is no viewer
 */
export function pageWithTrace(page: string, saved: SavedTrace): string | undefined {
  const at = page.indexOf(place);
  if (at === -1) {
    return undefined;
  }
  // No text in the data can end the element.
  const json = JSON.stringify(saved).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="${savedTraceId}">${json}</script>`;
  return `${page.slice(0, at)}${element}${page.slice(at + place.length)}`;
}
