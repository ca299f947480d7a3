import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/**
 * Gives a function that asks again whatever the page has no answer to. Requests still under way begin again, too: the one
 * that failed first must not hide the failure of a slower one, which would show the notice a second time.
 */
export function useAskAgain(): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    void queries.resetQueries({ type: "active", predicate: ({ state }) => state.status !== "success" });
  }, [queries]);
}
