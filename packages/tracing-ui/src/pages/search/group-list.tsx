import "../services/rate-table.css";
import "./group-list.css";
import "./result-list.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Duration } from "ui-kit/components/duration.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type AskedRange, groupsPerPage, groupsQuery, type SpanGroups } from "../../api/analysis.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import type { GroupOrder, SearchAddress } from "../../searches/search-address.ts";

/** A group: the spans with one value of the attribute. */
type Group = SpanGroups["groups"][number];

/** Column headers with their tooltips. */
const heads: Record<GroupOrder, [label: string, title: string]> = {
  value: ["Value", "From a to z"],
  spans: ["Spans", "Matching spans"],
  errors: ["Failed", "Of them, those that failed"],
  p50: ["p50", "Half of the spans take no longer"],
  p95: ["p95", "19 of 20 spans take no longer"],
};
const columns: readonly GroupOrder[] = ["value", "spans", "errors", "p50", "p95"];

/** The inputs of {@link GroupList}. */
interface GroupListProps {
  /** The search with the attribute, filter, order and page of the groups. */
  address: SearchAddress;
  /** The spans to group: TraceQL query and time range. */
  spans: { q: string; range: AskedRange };
  /** Milliseconds between two requests; false for no refresh. */
  refetchInterval: number | false;
  /** Called with the fields of the address that change. */
  onChange: (fields: Partial<SearchAddress>) => void;
  /** Called with a clicked group, to show its traces. */
  onOpen: (group: Group) => void;
}

/**
 * The spans of a search, grouped by the values of an attribute, a page at a time. A group leads to its traces.
 * States: counting, failed, none found, and the table; a note appears when the attribute has too many
 * values.
 */
export function GroupList(props: GroupListProps) {
  const { address, spans, refetchInterval, onChange, onOpen } = props;
  const { group: by = "", groupSort, groupFilter = "" } = address;
  const page = Number(address.page);
  const contains = useSettled(groupFilter.trim());
  const found = useQuery({
    ...groupsQuery({ ...spans, by, contains, order: groupSort, page }),
    ...{ placeholderData: keepPreviousData, refetchInterval },
  });
  if (found.isError) {
    return <FailureNotice error={found.error} onRetry={() => found.refetch()} />;
  }
  if (found.data === undefined) {
    return <Loading>Counting…</Loading>;
  }
  const { total, truncated, groups } = found.data;
  const most = groups.reduce((spansOfOne, group) => Math.max(spansOfOne, group.spans), 1);
  return (
    <section className="results groups" aria-label={`Spans by ${by}`} aria-busy={found.isFetching}>
      <GroupListHead {...{ by, total, truncated, groupFilter, onChange }} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="results-scroll" tabIndex={0} aria-label="Groups">
        <table aria-label="Groups of spans" className={`rates sorted-${groupSort}`}>
          <thead>
            <Heads groupSort={groupSort} onChange={onChange} />
          </thead>
          <tbody>
            {groups.map((group) => (
              <GroupRow key={`${group.type} ${group.value}`} {...{ group, most, onOpen }} />
            ))}
          </tbody>
        </table>
        {total === 0 && <p className="services-note">No matching span has such a value.</p>}
        <Pager
          page={page}
          perPage={groupsPerPage}
          total={total}
          what="values"
          onPage={(next) => onChange({ page: String(next) })}
        />
      </section>
    </section>
  );
}

/** The inputs of {@link GroupListHead}. */
interface GroupListHeadProps {
  /** The attribute, in TraceQL syntax. */
  by: string;
  /** Number of the attribute's values on all pages. */
  total: number;
  /** True when the attribute has more values than the server counts. */
  truncated: boolean;
  /** Text of the filter, as typed. */
  groupFilter: string;
  /** Called with the fields of the address that change. */
  onChange: GroupListProps["onChange"];
}

/** The number of values, their filter, and the link back to the traces. */
function GroupListHead({ by, total, truncated, groupFilter, onChange }: GroupListHeadProps) {
  return (
    <header className="results-head">
      <p>
        <b>{formatCount(total)}</b> {total === 1 ? "value" : "values"} of <code>{by}</code>
        {truncated && <span className="muted"> – there are more: those with the most spans are shown</span>}
      </p>
      <input
        className="field"
        aria-label="Filter values"
        placeholder="Filter values"
        value={groupFilter}
        onChange={(event) => onChange({ groupFilter: event.target.value || undefined, page: "1" })}
      />
      <button type="button" className="button" onClick={() => onChange({ group: undefined, page: "1" })}>
        Back to traces
      </button>
    </header>
  );
}

/** The column headers, which sort the groups: values from a to z, figures from the largest. */
function Heads({ groupSort, onChange }: { groupSort: GroupOrder; onChange: GroupListProps["onChange"] }) {
  return (
    <tr>
      {columns.map((column) => (
        <th
          key={column}
          scope="col"
          title={heads[column][1]}
          className={column === "value" ? "rate-name" : `group-${column}`}
          aria-sort={column !== groupSort ? "none" : column === "value" ? "ascending" : "descending"}
        >
          <button
            type="button"
            className="rate-sort"
            onClick={() => onChange({ groupSort: column, page: "1" })}
          >
            {column === groupSort && <span aria-hidden="true">{column === "value" ? "↑ " : "↓ "}</span>}
            {heads[column][0]}
          </button>
        </th>
      ))}
    </tr>
  );
}

/** The inputs of {@link GroupRow}. */
interface GroupRowProps {
  /** The group of the row. */
  group: Group;
  /** Number of spans of the page's largest group, which gets the longest bar. */
  most: number;
  /** Called with the clicked group. */
  onOpen: (group: Group) => void;
}

/** A row: the value with its figures. The bar behind the count takes at most 60 % of the cell. */
function GroupRow({ group, most, onOpen }: GroupRowProps) {
  return (
    <tr>
      <td className="rate-name cut">
        <button type="button" className="link" title="Search its traces" onClick={() => onOpen(group)}>
          {group.value === null ? <i>without it</i> : group.value === "" ? '""' : group.value}
        </button>
      </td>
      <td className="group-spans mono">
        <span className="group-bar" style={{ width: `${(60 * group.spans) / most}%` }} />
        {formatCount(group.spans)}
      </td>
      <td className="group-errors mono">
        {group.errors === 0 ? (
          <span className="unit">–</span>
        ) : (
          <span className="failed-text">{formatCount(group.errors)}</span>
        )}
      </td>
      <td className="group-p50">
        <Duration us={group.p50} />
      </td>
      <td className="group-p95">
        <Duration us={group.p95} />
      </td>
    </tr>
  );
}
