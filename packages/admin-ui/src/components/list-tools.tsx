import { Pager } from "ui-kit/components/pager.tsx";
import { rowsPerPage } from "../api/list-query.ts";

/**
 * A field above a list that filters by a text. The attribute `data-slash` makes it the field that the key `/`
 * focuses.
 */
export function FilterField(props: {
  /** Label of the field: `Filter by address`. */
  what: string;
  /** The text as typed. */
  value: string;
  /** Called at each key press; undefined for an empty field, which removes the parameter from the URL. */
  onValue: (value: string | undefined) => void;
}) {
  const { what, value, onValue } = props;
  return (
    <input
      className="field"
      data-slash
      aria-label={what}
      placeholder={what}
      value={value}
      onChange={(event) => onValue(event.target.value || undefined)}
    />
  );
}

/**
 * A menu for the sort order.
 * @param names the orders and their labels, in the order of the menu
 */
export function OrderField<Order extends string>(props: {
  names: Readonly<Record<Order, string>>;
  value: Order;
  onValue: (value: Order) => void;
}) {
  const { names, value, onValue } = props;
  return (
    <select
      className="field"
      aria-label="Order"
      value={value}
      onChange={(event) => onValue(event.target.value as Order)}
    >
      {Object.entries<string>(names).map(([order, name]) => (
        <option key={order} value={order}>
          {name}
        </option>
      ))}
    </select>
  );
}

/**
 * Buttons for the other pages of a list; nothing when all rows fit on one page.
 * @param onPage called with the page number for the URL
 */
export function ListPager(props: {
  /** Number of the current page, from 1. */
  page: number;
  /** Number of rows on all pages; undefined before the first response. */
  total: number | undefined;
  /** The listed things, in the plural: `upstreams`. */
  what: string;
  onPage: (page: string) => void;
}) {
  const { page, total = 0, what, onPage } = props;
  return <Pager {...{ page, total, what }} perPage={rowsPerPage} onPage={(next) => onPage(String(next))} />;
}
