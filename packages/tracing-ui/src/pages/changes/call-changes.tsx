import { Link } from "@tanstack/react-router";
import { CutNames } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import type { CallFigures, Changes, ChangesAsked } from "../../api/changes.ts";
import { ServiceMark } from "../../components/service-mark.tsx";

/**
 * Calls that the spans make to other services, in an average trace of A and of B. Hidden when the store
 * cannot read them. A row leads to the same comparison of the called operation.
 */
export function CallChanges({ changes, asked }: { changes: Changes; asked: ChangesAsked }) {
  const { calls } = changes;
  if (calls === null) {
    return null;
  }
  return (
    <section className="changes-part" aria-labelledby="changes-calls">
      <h2 id="changes-calls">Calls to others</h2>
      <p className="changes-note">
        Estimates, from the newest {formatCount(calls.tracesA)} traces of A and {formatCount(calls.tracesB)}{" "}
        of B.
      </p>
      {calls.rows.length === 0 ? (
        <p className="changes-none">These spans call nothing that has spans.</p>
      ) : (
        <div className="changes-scroll">
          <table className="changes-table" aria-labelledby="changes-calls">
            <thead>
              <tr>
                <th scope="col">Called service and operation</th>
                <th scope="col">Calls of a trace A</th>
                <th scope="col">
                  <span className="visually-hidden">Calls of a trace</span> B
                </th>
                <th scope="col">Mean A</th>
                <th scope="col">
                  <span className="visually-hidden">Mean</span> B
                </th>
                <th scope="col">Time of a trace A</th>
                <th scope="col">
                  <span className="visually-hidden">Time of a trace</span> B
                </th>
              </tr>
            </thead>
            <tbody>
              {calls.rows.map((row) => (
                <tr key={`${row.service} ${row.operation} ${row.kind}`}>
                  <th scope="row" className="cut" title={`${row.service}: ${row.operation} (${row.kind})`}>
                    <Link to="/changes" search={changesOfCall(row, asked)} className="changes-call">
                      <ServiceMark hue={serviceHue(row.service)} />
                      <CutNames service={row.service} operation={row.operation} />
                    </Link>
                    {row.b === null && <span className="changes-chance">only in A</span>}
                    {row.a === null && <span className="changes-chance">only in B</span>}
                  </th>
                  <Calls of={row.a} />
                  <Calls of={row.b} />
                  <Time us={row.a?.mean} />
                  <Time us={row.b?.mean} />
                  <Time us={row.a?.timePerTrace} />
                  <Time us={row.b?.timePerTrace} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The address that compares the called operation in the same time ranges. */
function changesOfCall(
  { service, operation }: { service: string; operation: string },
  { a, b }: ChangesAsked,
) {
  const [start, end, bstart, bend] = [a.start, a.end, b.start, b.end].map((us) => String(Math.round(us)));
  return { service, operation, lookback: "custom", start, end, against: "custom", bstart, bend };
}

/** Calls in an average trace, with three significant digits; a dash for a side without such calls. */
function Calls({ of }: { of: CallFigures | null }) {
  return (
    <td className="mono" title={of === null ? undefined : `${of.calls} calls, ${of.errors} failed`}>
      {of === null ? <span className="unit">–</span> : formatCount(Number(of.perTrace.toPrecision(3)))}
    </td>
  );
}

/** A duration in microseconds; a dash for a side without such calls. */
function Time({ us }: { us: number | undefined }) {
  return <td>{us === undefined ? <span className="unit">–</span> : <Duration us={us} />}</td>;
}
