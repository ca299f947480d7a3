import "./pager.css";
import { useEffect, useRef } from "react";
import { formatCount } from "../format/format-count.ts";

/**
 * Shows which rows of a list are visible, with buttons to the other pages. Empty when all rows are visible. A new
 * page begins at its top.
 * @param page  number of the page, from 1
 * @param what  name of the listed things, in the plural
 */
export function Pager(props: {
  page: number;
  /** Number of rows on a full page. */
  perPage: number;
  /** Number of rows on all pages. */
  total: number;
  what: string;
  /** Called with the page that a button leads to, from 1. */
  onPage: (page: number) => void;
}) {
  const { page, perPage, total, what, onPage } = props;
  const nav = useRef<HTMLElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current !== page) {
      shown.current = page;
      scrollToTop(nav.current);
    }
  }, [page]);
  if (total <= perPage && page === 1) {
    return null;
  }
  const first = (page - 1) * perPage + 1;
  const last = Math.min(page * perPage, total);
  return (
    <nav ref={nav} className="pager" aria-label={`Pages of ${what}`}>
      <span role="status">
        {first > total ? "None" : `${formatCount(first)} to ${formatCount(last)}`} of {formatCount(total)}{" "}
        {what}
      </span>
      <button type="button" className="button" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <button type="button" className="button" disabled={last >= total} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}

/** Scrolls the box around the list, or the list before the element, to its top. */
function scrollToTop(element: Element | null): void {
  const around = [element?.previousElementSibling ?? null];
  for (let box = element?.parentElement ?? null; box !== null; box = box.parentElement) {
    around.push(box);
  }
  const scrolled = around.find((box) => box !== null && box.scrollTop > 0);
  if (scrolled) {
    scrolled.scrollTop = 0;
  }
}
