import { useCallback, useState } from "react";

/** Key of the width in the browser's local storage. */
const key = "tracing.nameWidth";
/** Minimum width in pixels, which keeps a few letters of a name readable. */
const leastPx = 160;

/**
 * Width of the column of names, in pixels: the last width chosen in this browser, else a third of the table, at most
 * 560.
 * @param tableWidth width of the whole table; at least two fifths of it stay free of names
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
      // Storage is refused: the width lasts as long as the page.
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
