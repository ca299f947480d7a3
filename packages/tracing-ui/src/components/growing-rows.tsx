import "./growing-rows.css";
import { startTransition, useCallback, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { formatCount } from "ui-kit/format/format-count.ts";

/**
 * Number of rows that a list draws at first, and adds each time its end comes near. More rows at once delay the first
 * paint.
 */
const step = 100;
/** Distance in pixels from the visible part at which the next rows are drawn. */
const nearPx = 800;

/** The drawn part of a list, and the element at its end. */
export interface GrowingRows<T> {
  /** The drawn rows: the first ones of the list. */
  drawn: readonly T[];
  /** Number of rows that are not drawn yet. */
  left: number;
  /** Ref of the element at the end of the drawn rows. When it comes near, more rows are drawn. */
  end: (element: HTMLElement | null) => (() => void) | undefined;
  /** Draws all rows at once, for a search in the page. */
  drawAll: () => void;
}

/**
 * Draws a long list as far as the user scrolls: a hundred rows at first, and more when the end comes near. Before a
 * print, all rows are drawn.
 * @param list name of the list; another list begins with a hundred rows again, newer rows of the same list do not
 */
export function useGrowingRows<T>(rows: readonly T[], list: string): GrowingRows<T> {
  const [grown, setGrown] = useState({ list, count: step });
  const count = grown.list === list ? grown.count : step;
  const left = Math.max(0, rows.length - count);
  const end = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) {
        return undefined;
      }
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some(({ isIntersecting }) => isIntersecting)) {
            // Late news of an older end must not take back what "Show all" has drawn.
            startTransition(() =>
              setGrown((now) =>
                now.list === list && now.count > count ? now : { list, count: count + step },
              ),
            );
          }
        },
        { root: element.parentElement, rootMargin: `${nearPx}px` },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [list, count],
  );
  const drawAll = useCallback(() => setGrown({ list, count: Number.POSITIVE_INFINITY }), [list]);
  useEffect(() => {
    const beforePrint = () => flushSync(drawAll);
    window.addEventListener("beforeprint", beforePrint);
    return () => window.removeEventListener("beforeprint", beforePrint);
  }, [drawAll]);
  return { drawn: left === 0 ? rows : rows.slice(0, count), left, end, drawAll };
}

/** The end of a growing list: the number of rows that are not drawn, and a button for all of them. */
export function GrowingEnd({ left, end, drawAll }: Omit<GrowingRows<unknown>, "drawn">) {
  return left === 0 ? null : (
    <p ref={end} className="growing-end muted">
      {formatCount(left)} more{" "}
      <button type="button" className="link" onClick={drawAll}>
        Show all
      </button>
    </p>
  );
}
