import "./differences.css";
import type { Comparison } from "../../api/analysis.ts";

/** Maximum number of attributes that are shown, the most different first. Attributes beyond it hardly differ. */
const most = 24;
/** Minimum difference of the two shares for a row. A smaller difference is noise. */
const leastDifference = 0.03;

/** One attribute value with its shares. */
type Difference = Comparison["differences"][number];

/**
 * The ranked attributes that distinguish a selection, with both shares as bars. A click narrows the search to an
 * attribute. A sentence replaces the list when there are no selected spans, no other spans, or no differences.
 */
export function Differences(props: { comparison: Comparison; onFilter: (difference: Difference) => void }) {
  const { comparison, onFilter } = props;
  const { selectedSpans, otherSpans } = comparison;
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of);
  const rows = comparison.differences
    .map((difference) => ({
      difference,
      selected: share(difference.selected, selectedSpans),
      others: share(difference.others, otherSpans),
    }))
    .filter(({ selected, others }) => Math.abs(selected - others) >= leastDifference)
    // A value that the selection has explains more than a value that it lacks.
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, most);
  if (selectedSpans === 0) {
    return <p className="differences-note">No spans in the selection.</p>;
  }
  if (otherSpans === 0) {
    return <p className="differences-note">All spans are selected: there are no others.</p>;
  }
  if (rows.length === 0) {
    return <p className="differences-note">No attribute sets them apart: they look like the others.</p>;
  }
  return (
    <ol className="differences">
      {rows.map(({ difference, selected, others }) => (
        <li key={`${difference.place} ${difference.key} ${difference.value}`}>
          <button
            type="button"
            title={`${difference.place}: ${difference.key} = ${difference.value}\n${difference.selected} of ${selectedSpans} selected spans, ${difference.others} of ${otherSpans} others. Search for it`}
            onClick={() => onFilter(difference)}
          >
            <span className="cut">
              <span className="muted">{difference.key}</span> = {difference.value}
            </span>
            <span className="difference-bars" aria-hidden="true">
              <span style={{ width: `${100 * selected}%` }} />
              <span style={{ width: `${100 * others}%` }} />
            </span>
            <span className="mono difference-shares">
              {percent(selected)} <span className="unit">vs {percent(others)}</span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Rank of an attribute value. A value rarer in the selection than elsewhere counts half. */
function weight({ selected, others }: { selected: number; others: number }): number {
  return selected >= others ? selected - others : (others - selected) * 0.5;
}

/** A share in whole per cent; `<1 %` for a smaller share. */
function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 1 ? "<1" : Math.round(value)}\u00a0%`;
}
