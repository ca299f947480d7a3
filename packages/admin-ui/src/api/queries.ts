import { QueryClient } from "@tanstack/react-query";
import { onPresence, serverGoneSince } from "./server-presence.ts";

/** Cached answers of the server, for all pages. */
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

// A server that is back may be another one, with another config.
let wasGone = false;
onPresence(() => {
  const gone = serverGoneSince() !== undefined;
  if (wasGone && !gone) {
    void queries.invalidateQueries({ refetchType: "active" });
  }
  wasGone = gone;
});
