import { type Dispatch, type RefObject, useEffect } from "react";
import type { TraceView, ViewAction } from "../trace-view.ts";

/**
 * Ctrl and wheel zoom about the pointer, as in a map. Shift and wheel, or a horizontal wheel, move the range.
 * @param lane position of the time axis in the box, in pixels
 */
export function useWheelZoom(
  scroller: RefObject<HTMLDivElement | null>,
  lane: { left: number; width: number },
  view: TraceView,
  dispatch: Dispatch<ViewAction>,
): void {
  // React's wheel listeners are passive; this listener must prevent the browser's page zoom.
  useEffect(() => {
    const box = scroller.current;
    const onWheel = (event: WheelEvent) => {
      if (box === null) {
        return;
      }
      const zooms = event.ctrlKey || event.metaKey;
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (!zooms && Math.abs(sideways) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) {
        return;
      }
      event.preventDefault();
      if (!zooms) {
        return dispatch({ type: "pan", by: sideways / lane.width });
      }
      const share = (event.clientX - box.getBoundingClientRect().left - lane.left) / lane.width;
      const { fromUs, toUs } = view.range;
      dispatch({
        type: "zoomBy",
        factor: Math.exp(event.deltaY / 300),
        centreUs: fromUs + share * (toUs - fromUs),
      });
    };
    box?.addEventListener("wheel", onWheel, { passive: false });
    return () => box?.removeEventListener("wheel", onWheel);
  }, [scroller, lane.left, lane.width, view.range, dispatch]);
}
