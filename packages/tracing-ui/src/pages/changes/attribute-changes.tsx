import { Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { Changes, ChangesAsked } from "../../api/changes.ts";
import { formatShare } from "../../format/format-share.ts";
import { searchOfSide } from "./changes-plan.ts";

/**
 * Attribute values that are more frequent on one side, or that explain why one side is slower. Counts
 * lead to their traces. Figures of a sample are marked with ≈. An empty list says that no attribute distinguishes the
 * sides.
 */
export function AttributeChanges({ changes, asked }: { changes: Changes; asked: ChangesAsked }) {
  const { attributes, sample } = changes;
  const isEstimate = sample.a.isEstimate || sample.b.isEstimate;
  return (
    <section className="changes-part" aria-labelledby="changes-attributes">
      <h2 id="changes-attributes">Attributes that differ</h2>
      <p className="changes-note">
        {isEstimate
          ? `Estimates, from a sample of ${formatCount(sample.a.spans)} spans of A and ${formatCount(sample.b.spans)} of B.`
          : `From all ${formatCount(sample.a.spans)} spans of A and ${formatCount(sample.b.spans)} of B.`}{" "}
        “Explains” is the share of the difference of the means that is gone without these spans.
      </p>
      {attributes.length === 0 ? (
        <p className="changes-none">No attribute tells the sides apart.</p>
      ) : (
        <div className="changes-scroll">
          <table className="changes-table" aria-labelledby="changes-attributes">
            <thead>
              <tr>
                <th scope="col">Attribute and value</th>
                <th scope="col">Spans A</th>
                <th scope="col">Spans B</th>
                <th scope="col">Share A and B</th>
                <th scope="col">Mean A</th>
                <th scope="col">Mean B</th>
                <th scope="col">Explains</th>
              </tr>
            </thead>
            <tbody>
              {attributes.map((one) => (
                <AttributeRow
                  key={`${one.place} ${one.key} ${one.value}`}
                  {...{ one, sample, asked, isEstimate }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The inputs of {@link AttributeRow}. */
interface AttributeRowProps {
  /** The value of an attribute with its figures. */
  one: Changes["attributes"][number];
  /** Number of spans whose attributes were read, for shares. */
  sample: Changes["sample"];
  /** Both sides, for links to their traces. */
  asked: ChangesAsked;
  /** True when the figures come from a sample of the spans. */
  isEstimate: boolean;
}

/**
 * A row for an attribute value: counts, shares as bars, means, and the part of the difference that the value
 * explains.
 */
function AttributeRow({ one, sample, asked, isEstimate }: AttributeRowProps) {
  const share = (spans: number, of: number) => (of === 0 ? 0 : spans / of);
  const [a, b] = [share(one.a.spans, sample.a.spans), share(one.b.spans, sample.b.spans)];
  const tags = { [one.key]: one.value };
  return (
    <tr>
      <th scope="row" className="cut" title={`${one.place}: ${one.key} = ${one.value}`}>
        <span className="muted">{one.key}</span> = {one.value === "" ? '""' : one.value}
      </th>
      {(["a", "b"] as const).map((side) => (
        <td key={side} className="mono">
          <TraceCount
            count={one[side].spans}
            label={`spans of ${side.toUpperCase()} with ${one.key} = ${one.value}, their traces`}
            search={searchOfSide(asked[side], { tags })}
          />
        </td>
      ))}
      <td className="changes-shares">
        <span className="changes-bars" aria-hidden="true">
          <span className="a" style={{ width: `${100 * a}%` }} />
          <span className="b" style={{ width: `${100 * b}%` }} />
        </span>
        <span className="mono">
          {isEstimate && "≈ "}
          {formatShare(a)} <span className="unit">vs {formatShare(b)}</span>
        </span>
        <Significance value={one.isSignificant} />
      </td>
      <Mean sums={one.a} />
      <Mean sums={one.b} />
      <td className="mono">
        {one.explains > 0.005 ? (
          `${isEstimate ? "≈ " : ""}${formatShare(one.explains)}`
        ) : (
          <span className="unit">–</span>
        )}
      </td>
    </tr>
  );
}

/** The mean duration of the spans with a value; a dash without such spans. */
function Mean({ sums }: { sums: { spans: number; mean: number } }) {
  return <td>{sums.spans === 0 ? <span className="unit">–</span> : <Duration us={sums.mean} />}</td>;
}

/**
 * A count as a link to its traces; a dash for 0.
 * @param label unit that screen readers read after the figure
 */
export function TraceCount(props: { count: number; label: string; search: Record<string, string> }) {
  const { count, label, search } = props;
  return count === 0 ? (
    <span className="unit">–</span>
  ) : (
    <Link to="/search" search={search} className="changes-count">
      {formatCount(count)}
      <span className="visually-hidden"> {label}</span>
    </Link>
  );
}

/**
 * A remark on a difference: no text when the difference is significant, `chance?` when it may be chance, `few` with too
 * few spans to decide.
 */
export function Significance({ value }: { value: boolean | null }) {
  if (value === true) {
    return null;
  }
  return (
    <span
      className="changes-chance"
      title={
        value === null
          ? "Fewer than 20 spans on a side: too few to say whether it is chance"
          : "The difference may be chance: fewer than one in a thousand such differences would be larger"
      }
    >
      {value === null ? "few" : "chance?"}
    </span>
  );
}
