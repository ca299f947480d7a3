import { useCallback, useState } from "react";

/** Name of the width in the browser's local storage. */
const key = "tracing.nameWidth";
/** Least width in pixels: a few letters of a name stay readable. */
const leastPx = 160;

/**
 * Width of the column of names, in pixels: the one last chosen in this browser, else a third of the table.
 * @param tableWidth width of the whole table, which the names leave two fifths of at least
 */
export function useNameWidth(tableWidth: number): [width: number, choose: (width: number) => void] {
  const [chosen, setChosen] = useState(stored);
  const most = Math.max(leastPx, tableWidth * 0.6);
  const width = Math.round(Math.min(most, Math.max(leastPx, chosen ?? Math.min(560, tableWidth * 0.34))));
  const choose = useCallback((wanted: number) => {
    setChosen(wanted);
    try {
      localStorage.setItem(key, String(Math.round(wanted)));
    } catch {
      // Storage refused: the width holds for this page.
    }
  }, []);
  return [width, choose];
}

function stored(): number | undefined {
  try {
    const value = Number(localStorage.getItem(key) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
