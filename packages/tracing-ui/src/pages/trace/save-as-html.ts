import { ApiError } from "../../api/api-error.ts";
import type { TraceNote } from "../../api/notes.ts";
import type { SpanPeers } from "../../api/trace-peers.ts";
import { saveFile } from "../../components/save-file.ts";
import type { ApiTrace } from "../../trace/trace-schema.ts";
import { pageWithTrace } from "./page-with-trace.ts";

/** Path of the built viewer; see build/offline-viewer.ts. */
const viewerPath = "static/offline-viewer.html";

/**
 * Saves a trace as one HTML file that shows it without a server.
 * @param notes notes on the trace and its spans
 * @param search current state of the page: the search part of its address
 * @throws ApiError API_UNREACHABLE, API_SHAPE when the viewer cannot be loaded
 */
export async function saveAsHtml(
  trace: ApiTrace,
  peers: ReadonlyMap<string, SpanPeers>,
  notes: readonly TraceNote[],
  search: string,
): Promise<void> {
  const response = await fetch(new URL(viewerPath, document.baseURI)).catch((cause: unknown) => {
    throw new ApiError("API_UNREACHABLE", "the query service does not answer", { cause });
  });
  const viewer = response.ok ? await response.text() : "";
  const page = pageWithTrace(viewer, {
    trace,
    peers: [...peers],
    notes: [...notes],
    search,
    savedAt: Date.now(),
  });
  if (page === undefined) {
    throw new ApiError("API_SHAPE", "the viewer for saved traces is missing", { status: response.status });
  }
  saveFile(`trace-${trace.traceID}.html`, "text/html", [page]);
}
