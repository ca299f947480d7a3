import "./overview.css";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type Comparison, type HeatMap, heatMapQuery } from "../../api/analysis.ts";
import { Loading } from "../../components/loading.tsx";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { HeatMapChart } from "./heat-map.tsx";
import { ScatterPlot } from "./scatter-plot.tsx";
import type { SearchPlan } from "./search-plan.ts";
import type { Selection } from "./selection.ts";

const Apart = lazy(() => import("./search-parts.ts").then((file) => ({ default: file.Apart })));
/** Number of time slices of the heat map. With 90, a cell is still some pixels wide in a narrow window. */
const columns = 90;

/** The inputs of {@link Overview}. */
interface OverviewProps {
  /** The requests for the address. */
  plan: SearchPlan;
  /** Milliseconds between two requests; false for no refresh. */
  refetchInterval: number | false;
  /** The traces of the list; undefined while the search runs. */
  results: readonly TraceSummary[] | undefined;
  /** Called with a new selection, or undefined to clear it. */
  onSelect: (selection: Selection | undefined) => void;
  /** Called with a clicked attribute, to narrow the search by it. */
  onFilter: (difference: Comparison["differences"][number]) => void;
  /** Address of the comparison with another time range; undefined when no comparison is possible. */
  changes: Record<string, string> | undefined;
}

/**
 * The area above the list: the heat map of all matching spans. Beside it is a plot of the traces in the list
 * or, with a selection, the attributes that distinguish its spans.
 */
export function Overview(props: OverviewProps) {
  const { changes, plan, refetchInterval, results, onSelect, onFilter } = props;
  const { map, selection } = plan;
  const asked = map ?? { asked: {}, range: { lookbackUs: 1 } };
  const heat = useQuery({
    ...heatMapQuery(asked.asked, asked.range, columns),
    enabled: map !== undefined,
    ...{ placeholderData: keepPreviousData, refetchInterval },
  });
  return (
    <section className="overview" aria-label="Overview">
      {map !== undefined && <MapPart {...{ heat, selection, changes, onSelect }} />}
      <div className="overview-part">
        {selection === undefined || map === undefined ? (
          <>
            <h2>Traces by duration</h2>
            <TracesPlot results={results} />
          </>
        ) : (
          <Suspense fallback={<Loading>Opening…</Loading>}>
            <Apart
              plan={plan}
              selection={selection}
              map={heat.data}
              onClear={() => onSelect(undefined)}
              onFilter={onFilter}
            />
          </Suspense>
        )}
      </div>
    </section>
  );
}

/** The inputs of {@link MapPart}. */
interface MapPartProps extends Pick<OverviewProps, "onSelect" | "changes"> {
  heat: UseQueryResult<HeatMap>;
  /** The selection of the address; undefined for none. */
  selection: Selection | undefined;
}

/** The heat map below its head. States: counting, failed with a button to try again, and the map. */
function MapPart({ heat, selection, changes, onSelect }: MapPartProps) {
  return (
    <div className="overview-part overview-map">
      <div className="overview-head">
        <h2>
          Latency of spans{" "}
          {heat.data !== undefined && (
            <span className="muted">
              {formatCount(heat.data.spans)}
              {heat.data.errors > 0 && (
                <span className="overview-failed">, {formatCount(heat.data.errors)} failed</span>
              )}
            </span>
          )}
        </h2>
        {changes !== undefined && (
          <Link to="/changes" search={changes} className="overview-changes">
            Compare with the time before
          </Link>
        )}
      </div>
      {heat.isError ? (
        <p className="overview-note" role="alert">
          No heat map: {heat.error.message}{" "}
          <button type="button" className="link" onClick={() => heat.refetch()}>
            Try again
          </button>
        </p>
      ) : heat.data === undefined ? (
        <Loading>Counting spans…</Loading>
      ) : (
        <HeatMapChart map={heat.data} selection={selection} onSelect={onSelect} />
      )}
    </div>
  );
}

/** The plot of the traces in the list. A sentence replaces it while the search runs, or without traces. */
function TracesPlot({ results }: { results: OverviewProps["results"] }) {
  if (results === undefined) {
    return <Loading>Searching…</Loading>;
  }
  if (results.length === 0) {
    return <p className="overview-note">No traces.</p>;
  }
  return <ScatterPlot results={results} />;
}
