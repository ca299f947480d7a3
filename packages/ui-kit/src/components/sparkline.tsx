import "./sparkline.css";
import { type Samples, sparklinePath } from "./sparkline-path.ts";

/**
 * A small curve in a row, without axes, over the time range of the page. Hidden from screen readers, which read the
 * figure beside the curve.
 */
export function Sparkline(props: { values: Samples; most: number; kind: "plain" | "error" }) {
  const { line, area } = sparklinePath(props.values, props.most);
  return (
    <svg
      className={`sparkline ${props.kind}`}
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="area" d={area} />
      <path className="line" d={line} />
    </svg>
  );
}
