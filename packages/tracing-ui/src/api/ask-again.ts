import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/**
 * Returns a function that repeats all requests of the page that have no answer yet. Running requests restart too:
 * otherwise a slower one could fail later and show the notice a second time.
 */
export function useAskAgain(): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    void queries.resetQueries({ type: "active", predicate: ({ state }) => state.status !== "success" });
  }, [queries]);
}
