import { Pager } from "ui-kit/components/pager.tsx";
import { rowsPerPage } from "../api/list-query.ts";

/**
 * The field above a list that keeps what holds a text. The key `/` leads to it, by the attribute
 * `data-slash`.
 * @param what its label: `Filter by address`
 */
export function FilterField(props: {
  /** The listed things, in the plural: `upstreams`. */
  what: string;
  /** The text as typed. */
  value: string;
  /** Called at each key; undefined for an empty field, so that the address drops the parameter. */
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
 * The choice of an order.
 * @param names the orders, each with its words, in the order of the menu
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
 * Buttons to the other pages of a list; nothing when all rows fit on one page.
 * @param onPage called with the page number for the address
 */
export function ListPager(props: {
  /** The page that is shown, from 1. */
  page: number;
  /** Rows of all pages; undefined before the first answer. */
  total: number | undefined;
  what: string;
  onPage: (page: string) => void;
}) {
  const { page, total = 0, what, onPage } = props;
  return <Pager {...{ page, total, what }} perPage={rowsPerPage} onPage={(next) => onPage(String(next))} />;
}
