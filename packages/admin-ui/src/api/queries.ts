import { QueryClient } from "@tanstack/react-query";
import { onPresence, serverGoneSince } from "./server-presence.ts";

/**
 * Cache of the server's responses for all pages. A reopened page shows its old data until new data arrives.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // No retries: pages refetch every few seconds, and a failure should be visible at once.
      retry: false,
      refetchOnWindowFocus: false,
      // Requests are sent even when the browser is offline, because a server on this machine still responds.
      networkMode: "always",
      // A lazily loaded component reads fields that were not tracked before.
      notifyOnChangeProps: "all",
      refetchIntervalInBackground: false,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * True when the last notice said that the server is unreachable. When it responds again, all visible queries are
 * refetched, because it may be another server with another config.
 */
let wasGone = false;
onPresence(() => {
  const gone = serverGoneSince() !== undefined;
  if (wasGone && !gone) {
    void queries.invalidateQueries({ refetchType: "active" });
  }
  wasGone = gone;
});
