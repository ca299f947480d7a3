import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type Dispatch, useEffect, useEffectEvent, useReducer, useRef } from "react";
import type { Trace } from "../../trace/trace.ts";
import { changedAddress, type TraceAddress } from "./trace-address.ts";
import { addressOfView, reduceView, type TraceView, type ViewAction, viewOfAddress } from "./trace-view.ts";

const route = getRouteApi("/trace/$traceId");

/** Delay in milliseconds from the last change of the view to the update of the address: browsers limit the rate. */
const addressDelayMs = 200;

/**
 * The view of a trace, read from the address. Changes of the view are written back and replace the current
 * history entry, so that "back" leaves the trace instead of undoing clicks. When the address changes by
 * navigation (a link, "back"), the view follows.
 */
export function useTraceView(trace: Trace): [TraceView, Dispatch<ViewAction>] {
  const address = route.useSearch();
  const { traceId } = route.useParams();
  const navigate = route.useNavigate();
  const router = useRouter();
  const [view, dispatch] = useReducer(
    (old: TraceView, action: ViewAction) => reduceView(trace, old, action),
    undefined,
    () => viewOfAddress(trace, address),
  );
  const present = viewPart(address);
  const known = useRef(present);
  const restore = useEffectEvent(() => dispatch({ type: "restore", view: viewOfAddress(trace, address) }));
  useEffect(() => {
    if (known.current === present) {
      return;
    }
    known.current = present;
    restore();
  }, [present]);
  useEffect(() => {
    const timer = setTimeout(() => {
      // This page stays mounted until the next page is loaded; its address must not overwrite the new address.
      const here = router.buildLocation({ to: "/trace/$traceId", params: { traceId } });
      if (router.latestLocation.pathname !== here.pathname) {
        return;
      }
      known.current = viewPart(addressOfView(trace, view));
      void navigate({
        // Fields of other parts of the page stay unchanged.
        search: (present) => ({ ...changedAddress(present, noView), ...addressOfView(trace, view) }),
        replace: true,
        resetScroll: false,
      });
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [trace, view, navigate, router, traceId]);
  return [view, dispatch];
}

/** Removes from an address all that `addressOfView` writes, and the older form of the filter. */
const noView = {
  ...{ span: undefined, open: undefined, fold: undefined, runs: undefined },
  ...{ q: undefined, svcFilter: undefined, others: undefined, from: undefined, to: undefined },
};

/** The view's fields of an address, as one text for comparison. */
function viewPart(address: Partial<Record<keyof TraceAddress, string | number | undefined>>): string {
  const { span, open, fold, runs, q, others, from, to } = address;
  return JSON.stringify([span, open, fold, runs, q, others, from, to].map((field) => String(field ?? "")));
}
