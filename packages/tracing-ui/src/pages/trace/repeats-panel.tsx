import "./path-panel.css";
import type { Dispatch } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { hueStyle, ServiceMark } from "../../components/service-mark.tsx";
import { formatShare } from "../../format/format-share.ts";
import type { RepeatedCalls } from "../../trace/repeated-calls.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ViewAction } from "./trace-view.ts";

/** Maximum number of listed operations; a line shows the number of the others. */
const mostListed = 100;

/** The inputs of {@link RepeatsPanel}. */
interface RepeatsPanelProps {
  /** The trace, for names. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Repeated operations, ordered by their share of the trace, largest first. */
  repeats: readonly RepeatedCalls[];
  /** Index of the selected span, −1 for none; its row is marked. */
  selected: number;
  /** Receives the selection of a clicked operation. */
  dispatch: Dispatch<ViewAction>;
  /** Called by the button that closes the panel. */
  onClose: () => void;
}

/**
 * Operations that single spans call many times, by their share of the trace: often one query for each item
 * of a list. A click selects the first call. For a trace without repeated calls a sentence is shown.
 */
export function RepeatsPanel(props: RepeatsPanelProps) {
  const { trace, hues, repeats, selected, dispatch, onClose } = props;
  const [first] = repeats;
  const serviceOf = (service: number) => trace.services[service] ?? "";
  return (
    <aside className="path-panel" aria-labelledby="repeats-title">
      <header>
        <h2 id="repeats-title">Repeated calls</h2>
        <button type="button" className="icon-button" aria-label="Close the repeated calls" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {first === undefined ? (
        <p className="path-lead">No span of this trace calls one operation eight times or more.</p>
      ) : (
        <p className="path-lead">
          <b>
            {serviceOf(first.service)} {first.operation}
          </b>{" "}
          is called <b>{formatCount(first.calls)} times</b> from {serviceOf(first.callerService)}{" "}
          {first.callerOperation}; such calls run in <b>{formatShare(first.share)}</b> of the trace. Calls at
          the same time count once.
        </p>
      )}
      <ol className="path-shares">
        {repeats.slice(0, mostListed).map((one) => {
          const service = serviceOf(one.service);
          return (
            <li key={one.first}>
              <button
                type="button"
                className="service"
                style={hueStyle(hues.get(service))}
                aria-current={one.first === selected}
                title={`From ${serviceOf(one.callerService)} ${one.callerOperation}: ${formatCount(one.callers)} ${one.callers === 1 ? "span" : "spans"}, at most ${formatCount(one.most)} calls each`}
                onClick={() => dispatch({ type: "select", span: one.first })}
              >
                <ServiceMark hue={hues.get(service)} />
                <span className="path-name cut-names">
                  <CutName strong>{service}</CutName> <CutName>{one.operation}</CutName>
                </span>
                <span className="path-count mono unit">×{formatCount(one.calls)}</span>
                <Duration us={one.coveredUs} />
                <span className="path-percent mono">{formatShare(one.share)}</span>
                <span className="path-bar" style={{ width: `${100 * Math.min(1, one.share)}%` }} />
              </button>
            </li>
          );
        })}
      </ol>
      {repeats.length > mostListed && (
        <p className="path-lead">and {formatCount(repeats.length - mostListed)} more operations</p>
      )}
    </aside>
  );
}
