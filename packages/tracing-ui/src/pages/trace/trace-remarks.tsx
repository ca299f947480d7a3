import "./trace-remarks.css";
import { type Dispatch, useMemo } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import type { Trace } from "../../trace/trace.ts";
import { explainTrace } from "./explain-trace.ts";
import type { ViewAction } from "./trace-view.ts";

/** The oddities of the trace, one line each; a click opens the explanation. Empty for a normal trace. */
export function TraceRemarks({ trace, dispatch }: { trace: Trace; dispatch: Dispatch<ViewAction> }) {
  const remarks = useMemo(() => explainTrace(trace, Date.now() * 1_000), [trace]);
  if (remarks.length === 0) {
    return null;
  }
  return (
    <div className="remarks">
      {remarks.map(({ title, text, span }) => (
        <details key={`${title} ${text}`} name="remark">
          <summary>
            <Icon name="warning" />
            {title}
          </summary>
          <div className="remark-text">
            <p>{text}</p>
            {span !== -1 && (
              <button type="button" className="button" onClick={() => dispatch({ type: "select", span })}>
                Go to the first
              </button>
            )}
          </div>
        </details>
      ))}
    </div>
  );
}
