import "./path-panel.css";
import type { Dispatch } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { hueStyle, ServiceMark } from "../../components/service-mark.tsx";
import { formatShare } from "../../format/format-share.ts";
import type { CriticalPath } from "../../trace/critical-path.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ViewAction } from "./trace-view.ts";

/** Maximum number of listed operations; operations beyond it take almost no time. */
const mostShares = 100;

/** The inputs of {@link PathPanel}. */
interface PathPanelProps {
  /** The trace, for names. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The critical path, with its shares by operation. */
  path: CriticalPath;
  /** Index of the selected span, −1 for none; its row is marked. */
  selected: number;
  /** Receives the selection of a clicked operation. */
  dispatch: Dispatch<ViewAction>;
  /** Called by the button that closes the panel. */
  onClose: () => void;
}

/**
 * The critical path by operation, longest wait first. A click selects the operation's longest span. For a
 * trace without a root a sentence is shown.
 */
export function PathPanel(props: PathPanelProps) {
  const { trace, hues, path, selected, dispatch, onClose } = props;
  const first = path.shares[0];
  return (
    <aside className="path-panel" aria-labelledby="path-title">
      <header>
        <h2 id="path-title">Critical path</h2>
        <button type="button" className="icon-button" aria-label="Close the critical path" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {first === undefined ? (
        <p className="path-lead">The trace has no root to wait for.</p>
      ) : (
        <p className="path-lead">
          <b>{formatShare(first.share)}</b> of the wait is{" "}
          <b>
            {trace.services[first.service]} {first.operation}
          </b>
          . Only what is listed here makes the trace faster when it gets faster.
        </p>
      )}
      <ol className="path-shares">
        {path.shares.slice(0, mostShares).map((share) => {
          const service = trace.services[share.service] ?? "";
          return (
            <li key={share.longest}>
              <button
                type="button"
                className="service"
                style={hueStyle(hues.get(service))}
                aria-current={share.longest === selected}
                title="Go to the span waited for longest"
                onClick={() => dispatch({ type: "select", span: share.longest })}
              >
                <ServiceMark hue={hues.get(service)} />
                <span className="path-name cut-names">
                  <CutName strong>{service}</CutName> <CutName>{share.operation}</CutName>
                </span>
                <span className="path-count mono unit">
                  {share.spans > 1 && `×${formatCount(share.spans)}`}
                </span>
                <Duration us={share.selfUs} />
                <span className="path-percent mono">{formatShare(share.share)}</span>
                <span className="path-bar" style={{ width: `${100 * share.share}%` }} />
              </button>
            </li>
          );
        })}
      </ol>
      {path.shares.length > mostShares && (
        <p className="path-lead">and {path.shares.length - mostShares} more operations</p>
      )}
    </aside>
  );
}
