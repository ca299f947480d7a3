import "./overview.css";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type Comparison, compareQuery, type HeatMap } from "../../api/analysis.ts";
import { Differences } from "./differences.tsx";
import { comparisonOf, type SearchPlan } from "./search-plan.ts";
import type { Selection } from "./selection.ts";

/** The inputs of {@link Apart}. */
interface ApartProps {
  /** The requests for the address. */
  plan: SearchPlan;
  /** The selected range of the heat map. */
  selection: Selection;
  /** The heat map, for its time range; undefined until loaded. */
  map: HeatMap | undefined;
  /** Called by the button "Clear the selection". */
  onClear: () => void;
  /** Called with a clicked attribute, to narrow the search by it. */
  onFilter: (difference: Comparison["differences"][number]) => void;
}

/**
 * The attributes that distinguish the selected spans from all others of the heat map. States: conditions
 * that cannot be compared, comparing, failed with a button to try again, and the ranked attributes.
 */
export function Apart(props: ApartProps) {
  const { plan, selection, map, onClear, onFilter } = props;
  const { conditions } = plan;
  const asked = comparisonOf(conditions ?? {}, selection, {
    // Until the map is loaded, the range of the selection is a placeholder; no comparison is requested before that.
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
