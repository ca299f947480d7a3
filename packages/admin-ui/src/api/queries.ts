import { QueryClient } from "@tanstack/react-query";
import { onPresence, serverGoneSince } from "./server-presence.ts";

/**
 * Cached answers of the server, for all pages. A page that is opened again shows its old answer until the
 * new one is there.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // No retries: pages refetch every few seconds, and a failure is shown immediately.
      retry: false,
      refetchOnWindowFocus: false,
      // Always ask: a server on this machine answers while the browser is offline.
      networkMode: "always",
      // A lazily loaded part reads fields that were not tracked before.
      notifyOnChangeProps: "all",
      refetchIntervalInBackground: false,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * True when the server was unreachable at the last notice. When it is back, all visible queries are refetched: it
 * may be another server with another config.
 */
let wasGone = false;
onPresence(() => {
  const gone = serverGoneSince() !== undefined;
  if (wasGone && !gone) {
    void queries.invalidateQueries({ refetchType: "active" });
  }
  wasGone = gone;
});
