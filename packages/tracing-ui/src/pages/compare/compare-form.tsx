import "./compare-form.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { traceIdInText } from "../../trace/trace-id-in-text.ts";
import type { CompareAddress } from "./compare-address.ts";

/**
 * Says which trace is compared with what: the median of a search, or another trace. Ids are found in any
 * pasted text. A text without an id is marked, and a sentence names it. Recreated when the address
 * changes.
 */
export function CompareForm({ address }: { address: CompareAddress }) {
  const navigate = useNavigate({ from: "/compare" });
  const [a, setA] = useState(address.a ?? "");
  const [b, setB] = useState(address.b ?? "");
  const [q, setQ] = useState(address.q ?? "");
  const [beside, setBeside] = useState<"trace" | "median">(address.b === undefined ? "median" : "trace");
  const [problem, setProblem] = useState<"a" | "b">();

  function compare(event: FormEvent) {
    event.preventDefault();
    const first = traceIdInText(a);
    const second = traceIdInText(b);
    if (first === undefined) {
      return setProblem("a");
    }
    if (beside === "trace" && second === undefined) {
      return setProblem("b");
    }
    setProblem(undefined);
    const fields: Record<string, string> = { a: first };
    if (beside === "trace" && second !== undefined) {
      fields.b = second;
    } else if (q.trim() !== "") {
      fields.q = q.trim();
    }
    if (address.order !== undefined) {
      fields.order = address.order;
    }
    void navigate({ search: fields });
  }

  return (
    <form className="compare-form" aria-label="Traces to compare" onSubmit={compare}>
      <label>
        <span>
          <b>A</b> trace
        </span>
        <input
          className="field mono"
          data-slash
          placeholder="Id of the trace you wonder about"
          spellCheck={false}
          value={a}
          aria-invalid={problem === "a"}
          onChange={(event) => setA(event.target.value)}
        />
      </label>
      <fieldset>
        <legend className="visually-hidden">What A is compared with</legend>
        <label className="compare-choice">
          <input
            type="radio"
            name="beside"
            checked={beside === "median"}
            onChange={() => setBeside("median")}
          />
          <span>
            <b>B</b> median of a search
          </span>
        </label>
        <label className="compare-choice">
          <input
            type="radio"
            name="beside"
            checked={beside === "trace"}
            onChange={() => setBeside("trace")}
          />
          <span>
            <b>B</b> another trace
          </span>
        </label>
      </fieldset>
      {beside === "trace" ? (
        <label>
          <span className="visually-hidden">B trace</span>
          <input
            className="field mono"
            placeholder="Id of the other trace"
            spellCheck={false}
            value={b}
            aria-invalid={problem === "b"}
            onChange={(event) => setB(event.target.value)}
          />
        </label>
      ) : (
        <label>
          <span className="visually-hidden">TraceQL of the search</span>
          <input
            className="field mono"
            placeholder="Traces that begin as A does, or TraceQL: { … }"
            spellCheck={false}
            value={q}
            onChange={(event) => setQ(event.target.value)}
          />
        </label>
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
