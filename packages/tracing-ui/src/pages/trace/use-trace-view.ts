import { getRouteApi } from "@tanstack/react-router";
import { type Dispatch, useEffect, useReducer } from "react";
import type { Trace } from "../../trace/trace.ts";
import { addressOfView, reduceView, type TraceView, type ViewAction, viewOfAddress } from "./trace-view.ts";

const route = getRouteApi("/trace/$traceId");

/** How long the view rests before it is written into the address, in milliseconds: browsers limit the rate. */
const addressDelayMs = 200;

/**
 * The view of a trace: begun from the address, and written back to it as it changes. It replaces the present
 * entry of the history, so that "back" leaves the trace instead of undoing clicks.
 */
export function useTraceView(trace: Trace): [TraceView, Dispatch<ViewAction>] {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const [view, dispatch] = useReducer(
    (old: TraceView, action: ViewAction) => reduceView(trace, old, action),
    undefined,
    () => viewOfAddress(trace, address),
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      void navigate({
        // How the trace is drawn is an address of its own, not part of this view.
        search: ({ view: drawn, panel }) => ({
          ...addressOfView(trace, view),
          ...(drawn === undefined ? {} : { view: drawn }),
          ...(panel === undefined ? {} : { panel }),
        }),
        replace: true,
        resetScroll: false,
      });
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [trace, view, navigate]);
  return [view, dispatch];
}
