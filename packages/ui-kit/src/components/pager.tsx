import "./pager.css";
import { formatCount } from "../format/format-count.ts";

/**
 * Which rows of a list are shown, and buttons to the others. Nothing where all are shown.
 * @param page  from 1
 * @param what  what is listed, in the plural
 */
export function Pager(props: {
  page: number;
  perPage: number;
  total: number;
  what: string;
  onPage: (page: number) => void;
}) {
  const { page, perPage, total, what, onPage } = props;
  if (total <= perPage && page === 1) {
    return null;
  }
  const first = (page - 1) * perPage + 1;
  const last = Math.min(page * perPage, total);
  return (
    <nav className="pager" aria-label={`Pages of ${what}`}>
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
