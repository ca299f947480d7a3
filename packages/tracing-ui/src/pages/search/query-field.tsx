import { lazy, Suspense, useEffect, useRef } from "react";
import type { AskedRange } from "../../api/analysis.ts";
import { SearchField, slash } from "./search-field.tsx";
import { fieldsOfTraceQl } from "./traceql-fields.ts";

/** Loaded when first shown. If loading fails, for example after a server update, a plain field replaces the editor. */
const TraceQlEditor = lazy(() =>
  import("./editor/traceql-editor.tsx").then(
    (file) => ({ default: file.TraceQlEditor }),
    () => ({ default: PlainQueryField }),
  ),
);

/** The inputs of {@link QueryField}. */
interface QueryFieldProps {
  /** The query as TraceQL. */
  q: string;
  /** True when the field gets the focus on mount. */
  focused: boolean;
  /** Time range of the search; undefined while a custom range is incomplete. */
  range: AskedRange | undefined;
  /** Called when the user presses Enter. */
  onSearch: () => void;
  /** Called with the text after each change. */
  onChange: (q: string) => void;
  /** Called with the same conditions as simple fields, by the button that returns to the fields. */
  onFields: (fields: ReturnType<typeof fieldsOfTraceQl>) => void;
}

/** The query as TraceQL. A button leads back to the fields when they can express the query. */
export function QueryField(props: QueryFieldProps) {
  const { q, focused, range, onSearch, onChange, onFields } = props;
  const fields = fieldsOfTraceQl(q);
  const action =
    fields === undefined ? (
      <span className="muted">more than fields can say</span>
    ) : (
      <button type="button" className="link" data-command="" onClick={() => onFields(fields)}>
        Use fields
      </button>
    );
  return (
    <SearchField name="q" label="TraceQL" action={action}>
      <Suspense fallback={<div className="field mono cut">{q}</div>}>
        <TraceQlEditor value={q} {...{ focused, range }} onValue={onChange} onSearch={onSearch} />
      </Suspense>
    </SearchField>
  );
}

/** A plain text field for TraceQL, for the case that the editor cannot be loaded. */
function PlainQueryField(props: { value: string; focused: boolean; onValue: (value: string) => void }) {
  const { value, focused, onValue } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) {
      input.current?.focus();
    }
  }, [focused]);
  return (
    <input
      ref={input}
      id="search-q"
      className="field mono"
      aria-label="TraceQL"
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...slash}
    />
  );
}
