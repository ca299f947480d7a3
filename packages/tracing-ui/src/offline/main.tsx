import "ui-kit/theme/tokens.css";
import "ui-kit/theme/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Notice } from "ui-kit/components/notice.tsx";
import { addressFields, addressText } from "ui-kit/search-parameters.ts";
import { applyTheme } from "ui-kit/theme/preferences.ts";
import { notesQuery } from "../api/notes.ts";
import { traceQuery } from "../api/queries.ts";
import { tracePeersQuery } from "../api/trace-peers.ts";
import { applyPatterns } from "../components/service-patterns.ts";
import { readSavedTrace, type SavedTrace } from "../pages/trace/saved-trace.ts";
import { traceAddress } from "../pages/trace/trace-address.ts";
import { TracePage } from "../pages/trace/trace-page.tsx";
import { OfflineFrame } from "./offline-frame.tsx";

/**
 * The app of a saved page: only the trace page, with the data in this file. All answers are put
 * into the cache, and requests are disabled.
 */
function savedPage(saved: SavedTrace) {
  // No requests: all data is in this page.
  const queries = new QueryClient({
    defaultOptions: { queries: { enabled: false, gcTime: Number.POSITIVE_INFINITY } },
  });
  queries.setQueryData(traceQuery(saved.trace.traceID).queryKey, saved.trace);
  queries.setQueryData(tracePeersQuery(saved.trace.traceID).queryKey, new Map(saved.peers));
  queries.setQueryData(notesQuery(saved.trace.traceID).queryKey, saved.notes ?? null);
  const root = createRootRoute({ component: () => <OfflineFrame savedAt={saved.savedAt} /> });
  const trace = createRoute({
    getParentRoute: () => root,
    path: "/trace/$traceId",
    validateSearch: (fields: Record<string, string>) => traceAddress.parse(fields),
    component: TracePage,
  });
  if (location.hash === "") {
    history.replaceState(null, "", `#/trace/${saved.trace.traceID}${saved.search}`);
  }
  const router = createRouter({
    routeTree: root.addChildren([trace]),
    history: createHashHistory(),
    parseSearch: addressFields,
    stringifySearch: addressText,
    defaultNotFoundComponent: () => (
      <Notice kind="plain" title="This is not in the saved file">
        <p>A saved trace holds that trace alone. Go back, or open the query service.</p>
      </Notice>
    ),
  });
  return (
    <QueryClientProvider client={queries}>
      {/* Links are typed by the router of the whole app; this router has only its trace page. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  );
}

applyTheme();
applyPatterns();
const saved = readSavedTrace();
const element = document.getElementById("root");
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      {saved === undefined ? (
        <Notice kind="error" title="This file holds no trace that can be read">
          <p>It may have been cut off while it was saved or sent. Save the trace once more.</p>
        </Notice>
      ) : (
        savedPage(saved)
      )}
    </StrictMode>,
  );
}
