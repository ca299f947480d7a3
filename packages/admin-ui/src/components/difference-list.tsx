import "./difference-list.css";
import { useState } from "react";
import type { Difference } from "../config/explain-patch.ts";
import { ValueText } from "./value-text.tsx";

/**
 * Number of differences drawn at first; a button shows all. Thousands of them, as after an import, would block the
 * page for seconds.
 */
const firstShown = 50;

/**
 * Differences of two configs, each with old and new value. At first 50 are drawn; a button shows all.
 */
export function DifferenceList({ differences }: { differences: readonly Difference[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? differences : differences.slice(0, firstShown);
  return (
    <>
      <ol className="differences">
        {shown.map((difference, index) => (
          // A patch may have one path twice; only the order distinguishes them.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index} className="difference">
            <OneDifference difference={difference} />
          </li>
        ))}
      </ol>
      {shown.length < differences.length && (
        <p>
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {differences.length}
          </button>
        </p>
      )}
    </>
  );
}

/**
 * One difference: its kind, its path, then the values before and after. A moved value does not change, so only both
 * paths are shown.
 */
function OneDifference({ difference }: { difference: Difference }) {
  const { path, kind, before, after, from } = difference;
  return (
    <>
      <p className="difference-head">
        <span>{kind}</span>
        <span className="mono">{path === "" ? "the whole config" : path}</span>
        {from !== undefined && <span className="mono muted">from {from}</span>}
      </p>
      {kind !== "moved" && before !== undefined && (
        <div className="difference-side before">
          <span>before</span>
          <ValueText value={before} />
        </div>
      )}
      {kind !== "moved" && after !== undefined && (
        <div className="difference-side after">
          <span>after</span>
          <ValueText value={after} />
        </div>
      )}
    </>
  );
}
