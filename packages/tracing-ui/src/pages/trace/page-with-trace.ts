import { type SavedTrace, savedTraceId } from "./saved-trace.ts";

/** The placeholder for the data in the viewer's page. build/offline-viewer.ts writes it. */
const place = "<!-- trace data -->";

/**
 * Inserts a trace into the viewer's page.
 * @param page HTML of the built viewer
 * @returns undefined when the page has no placeholder
 */
export function pageWithTrace(page: string, saved: SavedTrace): string | undefined {
  const at = page.indexOf(place);
  if (at === -1) {
    return undefined;
  }
  // Escaping `<` prevents that text in the data ends the script element.
  const json = JSON.stringify(saved).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="${savedTraceId}">${json}</script>`;
  return `${page.slice(0, at)}${element}${page.slice(at + place.length)}`;
}
