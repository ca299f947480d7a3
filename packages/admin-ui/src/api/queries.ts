import { QueryClient } from "@tanstack/react-query";
import { onPresence, serverGoneSince } from "./server-presence.ts";

/**
 * Cached answers of the server, for all pages. A page that is opened again shows its old answer until the
 * new one is there.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Pages ask again by themselves, every few seconds; a server that is gone is seen at once.
      retry: false,
      refetchOnWindowFocus: false,
      // Always ask: a server on this machine answers while the browser is offline.
      networkMode: "always",
      // A part of a page that is loaded late reads fields of an answer that nobody has read before.
      notifyOnChangeProps: "all",
      refetchIntervalInBackground: false,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * Whether the server was gone at the last notice. When it is back, all visible queries are asked anew: it
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
