import "./overview.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type Comparison, compareQuery, type HeatMap, heatMapQuery } from "../../api/analysis.ts";
import { Loading } from "../../components/loading.tsx";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { Differences } from "./differences.tsx";
import { HeatMapChart } from "./heat-map.tsx";
import { ScatterPlot } from "./scatter-plot.tsx";
import { comparisonOf, type SearchPlan } from "./search-plan.ts";
import type { Selection } from "./selection.ts";

/** Slices of time. */
const columns = 90;

/**
 * The area above the list: the heat map of all matching spans. Beside it is a plot of the traces in the list
 * or, with a selection, the attributes that distinguish its spans.
 */
export function Overview(props: {
  plan: SearchPlan;
  refetchInterval: number | false;
  results: readonly TraceSummary[] | undefined;
  onSelect: (selection: Selection | undefined) => void;
  onFilter: (difference: Comparison["differences"][number]) => void;
  /** Where these spans are compared with those of another time; undefined where they cannot be. */
  changes: Record<string, string> | undefined;
}) {
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
      {map !== undefined && (
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
      )}
      <div className="overview-part">
        {selection === undefined || map === undefined ? (
          <>
            <h2>Traces by duration</h2>
            {results === undefined ? (
              <Loading>Searching…</Loading>
            ) : results.length === 0 ? (
              <p className="overview-note">No traces.</p>
            ) : (
              <ScatterPlot results={results} />
            )}
          </>
        ) : (
          <Apart
            plan={plan}
            selection={selection}
            map={heat.data}
            onClear={() => onSelect(undefined)}
            onFilter={onFilter}
          />
        )}
      </div>
    </section>
  );
}

/** The attributes that distinguish the selected spans from all others of the heat map. */
function Apart(props: {
  plan: SearchPlan;
  selection: Selection;
  map: HeatMap | undefined;
  onClear: () => void;
  onFilter: (difference: Comparison["differences"][number]) => void;
}) {
  const { plan, selection, map, onClear, onFilter } = props;
  const { conditions } = plan;
  const asked = comparisonOf(conditions ?? {}, selection, {
    // Without the map's times an hour about the selection; it is not asked then.
    start: map?.start ?? selection.startUs,
    end: map?.end ?? selection.endUs,
  });
  const comparison = useQuery({
    ...compareQuery(asked.selection, asked.background),
    enabled: map !== undefined && conditions !== undefined,
  });
  return (
    <>
      <div className="overview-head">
        <h2>
          What sets them apart{" "}
          {comparison.data !== undefined && (
            <span className="muted">
              {formatCount(comparison.data.selectedSpans)} selected spans,{" "}
              {formatCount(comparison.data.otherSpans)} others
            </span>
          )}
        </h2>
        <button type="button" className="link overview-clear" onClick={onClear}>
          Clear the selection
        </button>
      </div>
      {conditions === undefined ? (
        <p className="overview-note">
          Attributes are compared for conditions on one span, joined by &&. The list below is of the
          selection.
        </p>
      ) : comparison.isError ? (
        <p className="overview-note" role="alert">
          {comparison.error.message}{" "}
          <button type="button" className="link" onClick={() => comparison.refetch()}>
            Try again
          </button>
        </p>
      ) : comparison.data === undefined ? (
        <p className="overview-note" role="status">
          Comparing…
        </p>
      ) : (
        <Differences comparison={comparison.data} onFilter={onFilter} />
      )}
    </>
  );
}
