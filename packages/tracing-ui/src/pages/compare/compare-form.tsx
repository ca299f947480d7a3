import "./compare-form.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { traceIdInText } from "../../trace/trace-id-in-text.ts";
import type { CompareAddress } from "./compare-address.ts";

/**
 * The form for trace A and its counterpart: the median of a search, or another trace. Ids are found in any
 * pasted text. A text without an id is marked, with an error sentence. The form is recreated when the address
 * changes.
 */
export function CompareForm({ address }: { address: CompareAddress }) {
  const navigate = useNavigate({ from: "/compare" });
  const [a, setA] = useState(address.a ?? "");
  const [b, setB] = useState(address.b ?? "");
  const [q, setQ] = useState(address.q ?? "");
  const [beside, setBeside] = useState<Beside>(address.b === undefined ? "median" : "trace");
  const [problem, setProblem] = useState<"a" | "b">();

  function compare(event: FormEvent) {
    event.preventDefault();
    const asked = askedFields({ a, b, q, beside });
    if (typeof asked === "string") {
      return setProblem(asked);
    }
    setProblem(undefined);
    const { order } = address;
    void navigate({ search: order === undefined ? asked : { ...asked, order } });
  }

  return (
    <form className="compare-form" aria-label="Traces to compare" onSubmit={compare}>
      <TraceField value={a} isWrong={problem === "a"} onValue={setA} />
      <BesideChoice value={beside} onValue={setBeside} />
      {beside === "trace" ? (
        <TextField
          label="B trace"
          placeholder="Id of the other trace"
          value={b}
          isWrong={problem === "b"}
          onValue={setB}
        />
      ) : (
        <TextField
          label="TraceQL of the search"
          placeholder="Traces that begin as A does, or TraceQL: { … }"
          value={q}
          onValue={setQ}
        />
      )}
      <button type="submit" className="button main">
        Compare
      </button>
      {problem !== undefined && (
        <p className="compare-problem" role="alert">
          {problem.toUpperCase()} needs a trace id: up to 32 hexadecimal digits.
        </p>
      )}
    </form>
  );
}

/** The fields as filled in so far. */
interface CompareDraft {
  /** Text that contains the id of trace A, the trace to investigate. */
  a: string;
  /** Text that contains the id of trace B. */
  b: string;
  /** TraceQL of the search whose median is side B; "" for traces with the root operation of trace A. */
  q: string;
  /** Kind of side B: `trace` uses `b`, `median` uses `q`. */
  beside: Beside;
}

/** The address fields of a draft, or the letter of a side whose text contains no trace id. */
function askedFields({ a, b, q, beside }: CompareDraft): Record<string, string> | "a" | "b" {
  const first = traceIdInText(a);
  if (first === undefined) {
    return "a";
  }
  if (beside === "trace") {
    const second = traceIdInText(b);
    return second === undefined ? "b" : { a: first, b: second };
  }
  return q.trim() === "" ? { a: first } : { a: first, q: q.trim() };
}

/** Kind of side B: a trace, or the median of a search. */
type Beside = "trace" | "median";

/** The choice between a trace and a median for side B. */
function BesideChoice({ value, onValue }: { value: Beside; onValue: (value: Beside) => void }) {
  return (
    <fieldset>
      <legend className="visually-hidden">What A is compared with</legend>
      <label className="compare-choice">
        <input type="radio" name="beside" checked={value === "median"} onChange={() => onValue("median")} />
        <span>
          <b>B</b> median of a search
        </span>
      </label>
      <label className="compare-choice">
        <input type="radio" name="beside" checked={value === "trace"} onChange={() => onValue("trace")} />
        <span>
          <b>B</b> another trace
        </span>
      </label>
    </fieldset>
  );
}

/** The field for side A. */
function TraceField({ value, isWrong, onValue }: Pick<TextFieldProps, "value" | "isWrong" | "onValue">) {
  return (
    <label>
      <span>
        <b>A</b> trace
      </span>
      <input
        className="field mono"
        data-slash
        placeholder="Id of the trace you wonder about"
        spellCheck={false}
        value={value}
        aria-invalid={isWrong}
        onChange={(event) => onValue(event.target.value)}
      />
    </label>
  );
}

/** The inputs of {@link TextField}. */
interface TextFieldProps {
  /** Accessible label, for screen readers only. */
  label: string;
  /** Shown while the field is empty. */
  placeholder: string;
  /** The text of the field. */
  value: string;
  /** True when the text is invalid; absent for a field that accepts any text. */
  isWrong?: boolean;
  /** Called at each key. */
  onValue: (value: string) => void;
}

/** A field for side B, without a visible label. */
function TextField({ label, placeholder, value, isWrong, onValue }: TextFieldProps) {
  return (
    <label>
      <span className="visually-hidden">{label}</span>
      <input
        className="field mono"
        placeholder={placeholder}
        spellCheck={false}
        value={value}
        aria-invalid={isWrong}
        onChange={(event) => onValue(event.target.value)}
      />
    </label>
  );
}
