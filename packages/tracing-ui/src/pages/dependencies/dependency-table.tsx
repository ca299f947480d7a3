import { Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import type { Dependency } from "../../api/dependencies.ts";
import type { RateRow } from "../../api/rates.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { Rate, Share } from "../services/rate-table.tsx";
import "../services/rate-table.css";

/** The same as the graph, as rows: who calls whom, how often; how those that are called do on the whole. */
export function DependencyTable(props: {
  dependencies: readonly Dependency[];
  lookbackMs: number;
  rates: ReadonlyMap<string, RateRow>;
  lookback: string;
}) {
  const { dependencies, lookbackMs, rates, lookback } = props;
  const name = (service: string) => (
    <Link to="/services" search={{ service, lookback }}>
      <ServiceMark hue={serviceHue(service)} />
      <span className="cut">{service}</span>
    </Link>
  );
  return (
    <div className="dependency-table">
      <table className="rates">
        <thead>
          <tr>
            <th scope="col" className="rate-name">
              Caller
            </th>
            <th scope="col" className="rate-name">
              Called
            </th>
            <th scope="col">Calls</th>
            <th scope="col">Calls a second</th>
            <th scope="col">Failed, of all calls of the called</th>
            <th scope="col">p95 of the called</th>
          </tr>
        </thead>
        <tbody>
          {dependencies.map(({ parent, child, calls }) => {
            const whole = rates.get(child)?.whole;
            return (
              <tr key={JSON.stringify([parent, child])}>
                <td className="rate-name cut">{name(parent)}</td>
                <td className="rate-name cut">{name(child)}</td>
                <td className="mono">{formatCount(calls)}</td>
                <td>
                  <Rate perSecond={calls / (lookbackMs / 1_000)} />
                </td>
                <td>
                  <Share share={whole?.errors ?? 0} />
                </td>
                <td>
                  {whole?.p95 === undefined ? <span className="unit">–</span> : <Duration us={whole.p95} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
