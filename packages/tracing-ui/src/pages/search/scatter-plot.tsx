import "./heat-map.css";
import "./scatter-plot.css";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { durationText, formatDuration } from "ui-kit/format/format-duration.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { tickText } from "../../trace/time-ticks.ts";
import { scatterOf } from "./scatter-points.ts";
import { TimeAxis } from "./time-axis.tsx";

/**
 * The traces of the list by start and duration: larger circles have more spans, red circles have errors. A click
 * opens a trace; a line below names the trace under the pointer. Keyboard users have the same links in the list.
 */
export function ScatterPlot({ results }: { results: readonly TraceSummary[] }) {
  const navigate = useNavigate();
  const zone = useChoice(zoneChoice);
  const { points, startUs, endUs, ticks } = useMemo(() => scatterOf(results), [results]);
  const [hover, setHover] = useState<TraceSummary>();
  return (
    <div className="scatter">
      <ul className="heat-map-rows" aria-hidden="true">
        {ticks.map(({ us, y }) => (
          <li key={us} style={{ bottom: `${100 * y}%` }}>
            {tickText(us, formatDuration(us))}
          </li>
        ))}
      </ul>
      <div className="heat-map-frame scatter-frame">
        {/* Keyboards and screen readers use the list below, which has the same traces. */}
        <svg role="img" aria-label={`${results.length} traces by start and duration, as in the list below`}>
          {/* Some screen readers stop at each circle of an image. */}
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of shapes takes no focus */}
          <g aria-hidden="true">
            {ticks.map(({ us, y }) => (
              <line key={us} x1="0" x2="100%" y1={`${100 - 100 * y}%`} y2={`${100 - 100 * y}%`} />
            ))}
            {points.map(({ trace, x, y, radius }) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the rows of the list are the links
              <circle
                key={trace.traceId}
                className={trace.errors > 0 ? "failed" : undefined}
                cx={`${100 * x}%`}
                cy={`${100 - 100 * y}%`}
                r={radius}
                onPointerEnter={() => setHover(trace)}
                onPointerLeave={() => setHover(undefined)}
                onClick={() => navigate({ to: "/trace/$traceId", params: { traceId: trace.traceId } })}
              />
            ))}
          </g>
        </svg>
      </div>
      <TimeAxis startUs={startUs} endUs={endUs} />
      <p className="heat-map-here mono cut">
        {hover !== undefined &&
          `${clockText(hover.startUs, zone).slice(0, 8)} ${hover.rootService} ${hover.rootOperation} ${durationText(hover.durationUs)}`}
      </p>
    </div>
  );
}
