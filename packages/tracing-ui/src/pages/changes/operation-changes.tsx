import { CutNames } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import type { Changes, ChangesAsked } from "../../api/changes.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { formatShare } from "../../format/format-share.ts";
import { Significance, TraceCount } from "./attribute-changes.tsx";
import { searchOfSide } from "./changes-plan.ts";

/**
 * Operations, ordered by their part in the difference of the mean durations: `+` where A takes longer. The parts
 * of all operations add up to the whole difference. Counts lead to their traces.
 */
export function OperationChanges({ changes, asked }: { changes: Changes; asked: ChangesAsked }) {
  const { operations } = changes;
  const most = operations.reduce((change, one) => Math.max(change, Math.abs(one.change)), 0);
  return (
    <section className="changes-part" aria-labelledby="changes-operations">
      <h2 id="changes-operations">Operations</h2>
      <p className="changes-note">
        All spans count. The last column is each operation’s part of the difference of the means, and has
        both: how long it takes, and how often it is called.
      </p>
      <div className="changes-scroll">
        <table className="changes-table" aria-labelledby="changes-operations">
          <thead>
            <tr>
              <th scope="col">Service and operation</th>
              <th scope="col">Spans A</th>
              <th scope="col">Spans B</th>
              <th scope="col">Failed A</th>
              <th scope="col">Failed B</th>
              <th scope="col">p95 A</th>
              <th scope="col">p95 B</th>
              <th scope="col">Part of the change</th>
            </tr>
          </thead>
          <tbody>
            {operations.map((one) => (
              <OperationRow key={`${one.service} ${one.operation} ${one.kind}`} {...{ one, asked, most }} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The inputs of {@link OperationRow}. */
interface OperationRowProps {
  /** The operation with the figures of both sides. */
  one: Changes["operations"][number];
  /** Both sides, for links to their traces. */
  asked: ChangesAsked;
  /** Largest part of any operation in the change, in microseconds. A full bar has this length. */
  most: number;
}

/** An operation: spans, share of failures and 95th percentile of both sides, and its part of the change. */
function OperationRow({ one, asked, most }: OperationRowProps) {
  return (
    <tr>
      <th scope="row" className="cut" title={`${one.service}: ${one.operation} (${one.kind})`}>
        <span className="changes-call">
          <ServiceMark hue={serviceHue(one.service)} />
          <CutNames service={one.service} operation={one.operation} />
        </span>
      </th>
      {(["a", "b"] as const).map((side) => (
        <td key={side} className="mono">
          <TraceCount
            count={one[side].spans}
            label={`spans of ${one.operation} in ${side.toUpperCase()}, their traces`}
            search={searchOfSide(asked[side], { service: one.service, operation: one.operation })}
          />
        </td>
      ))}
      {(["a", "b"] as const).map((side) => (
        <td key={side} className="mono">
          {one[side].errors === 0 ? (
            <span className="unit">–</span>
          ) : (
            <span className="failed-text">{formatShare(one[side].errors / one[side].spans)}</span>
          )}
        </td>
      ))}
      {(["a", "b"] as const).map((side) => (
        <td key={side}>
          {one[side].spans === 0 ? <span className="unit">–</span> : <Duration us={one[side].p95} />}
        </td>
      ))}
      <td className="changes-change">
        <Significance value={one.isSlower} />
        <span className="changes-bars" aria-hidden="true">
          <span
            className={one.change < 0 ? "b" : "a"}
            style={{ width: most === 0 ? 0 : `${(100 * Math.abs(one.change)) / most}%` }}
          />
        </span>
        <Duration us={Math.abs(one.change)} sign={one.change < 0 ? "−" : one.change > 0 ? "+" : ""} />
      </td>
    </tr>
  );
}
