import "./chosen-bar.css";
import { Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { type ChosenTrace, dropChosen, toggleChosen, useChosenTraces } from "../../searches/chosen-traces.ts";

/**
 * The traces chosen for a comparison, shown above the results of any search. Hidden without a chosen trace. With
 * one trace it offers a comparison with the median, with two traces the comparison of both.
 */
export function ChosenBar() {
  const chosen = useChosenTraces();
  const [a, b] = chosen;
  if (a === undefined) {
    return null;
  }
  return (
    <section className="chosen-bar" aria-label="Traces to compare">
      <ol>
        <Chosen letter="A" trace={a} />
        {b !== undefined && <Chosen letter="B" trace={b} />}
      </ol>
      {b === undefined && <p className="muted">Choose another, also of another search</p>}
      <Link
        to="/compare"
        search={b === undefined ? { a: a.traceId } : { a: a.traceId, b: b.traceId }}
        className="button main"
      >
        {b === undefined ? "Compare with the median" : "Compare"}
      </Link>
      <button type="button" className="button" onClick={dropChosen}>
        Clear
      </button>
    </section>
  );
}

/** A chosen trace with its letter, and a button that removes it from the choice. */
function Chosen({ letter, trace }: { letter: string; trace: ChosenTrace }) {
  return (
    <li>
      <b>{letter}</b>
      <Link to="/trace/$traceId" params={{ traceId: trace.traceId }} className="cut">
        {trace.name}
      </Link>
      <Duration us={trace.durationUs} />
      <button
        type="button"
        className="icon-button"
        aria-label={`Do not compare ${letter}`}
        onClick={() => toggleChosen(trace)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
