import "./result-list.css";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { assignServiceHues } from "ui-kit/theme/service-hues.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { GrowingEnd, useGrowingRows } from "../../components/growing-rows.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { useChosenTraces } from "../../searches/chosen-traces.ts";
import type { Sort } from "../../searches/search-address.ts";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { directionOf, nextSort, serviceTotals, sortResults } from "./result-order.ts";
import { ResultRow } from "./result-row.tsx";
import { ServiceMenu, type ServiceMenuHandle, serviceMenuId } from "./service-menu.tsx";
import { useListKeys } from "./use-list-keys.ts";

/** Width in pixels of the column of one service. */
const placePx = 48;
/** Maximum number of services that have a column of their own. The others share one column. */
const mostPlaces = 16;
/** Width in pixels that the fixed columns need. */
const otherColumnsPx = 800;
/** Width in pixels of an extra column. The style sheet must have the same width. */
const valuePx = 144;
/** Maximum number of services in the legend, which then needs at most two rows. Services with most spans come first. */
const mostInLegend = 12;
/** Maximum number of letters of a name in the legend; the middle of a longer name is cut out. */
const mostLegendLetters = 24;

/** The inputs of {@link ResultList}. */
interface ResultListProps {
  /** Key of the search. When it or the order changes, the list scrolls to the top. */
  search: string;
  /** The traces, in the service's order. */
  results: readonly TraceSummary[];
  /** Requested limit of traces; at the limit a note says that there may be more. */
  limit: number;
  /** Order of the rows. */
  sort: Sort;
  stale: boolean;
  /** Extra columns: attributes in TraceQL syntax. */
  columns: readonly string[];
  /** True when traces can be selected for a comparison; traces of a file cannot. */
  canCompare: boolean;
  /** Called with the order of a clicked header. */
  onSort: (sort: Sort) => void;
  /** Shown at the end of the list's head. */
  children?: ReactNode;
}

/**
 * The found traces, in rows of 24 px. It only sorts and aggregates the given traces. Services with most spans
 * have a column each, as many as the window has room for. Keys: `j` and `k` move from row
 * to row, `l` opens the focused trace.
 * @param stale true when the list belongs to the previous search; it is then dimmed
 */
export function ResultList(props: ResultListProps) {
  const { search, results, limit, sort, stale, columns, canCompare, onSort, children } = props;
  const rows = useMemo(() => sortResults(results, sort), [results, sort]);
  const { drawn, ...rest } = useGrowingRows(rows, `${search} ${sort}`);
  const totals = useMemo(() => serviceTotals(results), [results]);
  const hues = useMemo(() => huesInSight(results, totals), [results, totals]);
  const longestUs = results.reduce((longest, row) => Math.max(longest, row.durationUs), 1);
  const table = useRef<HTMLDivElement>(null);
  const serviceMenu = useRef<ServiceMenuHandle>(null);
  const onServices: ServiceMenuHandle["show"] = (shown) => serviceMenu.current?.show(shown);
  useListKeys(table, ".result-link");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search and the order change, and are not read
  useEffect(() => {
    table.current?.scrollTo({ top: 0 });
  }, [search, sort]);
  const { places, placesPx } = usePlaces(table, totals, columns.length);
  const chosen = useChosenTraces().map(({ traceId }) => traceId);
  const sideOf = (traceId: string) => ["", "A", "B"][chosen.indexOf(traceId) + 1];
  const otherDays = useOtherDays(results);

  return (
    <section className="results" aria-label="Traces found" aria-busy={stale}>
      <header className="results-head">
        <FoundCount results={results} limit={limit} />
        <Legend {...{ totals, hues, onServices }} />
        {children}
      </header>
      <div className="results-scroll" ref={table}>
        <table
          aria-label="Traces"
          className={[
            otherDays ? "with-days" : "",
            chosen.length > 0 ? "choosing" : "",
            `sorted-${sort.replace(/^-|@.*/g, "")}`,
          ].join(" ")}
          style={{ "--places": `${placesPx}px`, "--values": columns.length } as CSSProperties}
        >
          <thead>
            <Heads {...{ sort, columns, onSort }} />
          </thead>
          <tbody className={stale ? "results-stale" : undefined}>
            {drawn.map((row) => (
              <ResultRow
                key={row.traceId}
                {...{ row, hues, places, longestUs, columns, onServices }}
                side={canCompare ? sideOf(row.traceId) : undefined}
              />
            ))}
          </tbody>
        </table>
        <GrowingEnd {...rest} />
      </div>
      <ServiceMenu ref={serviceMenu} hues={hues} />
    </section>
  );
}

/**
 * Hues of the services in sight: the services with most spans, and those of the roots. Other services get no hue
 * here: the many services of a large trace would compete for the hues. The menu shows them in the hue of their name.
 */
function huesInSight(results: readonly TraceSummary[], totals: ReturnType<typeof serviceTotals>) {
  const largest = totals.slice(0, mostPlaces).map(({ name }) => name);
  return assignServiceHues([...largest, ...results.map(({ rootService }) => rootService)]);
}

/**
 * The services that have a column each: the services with most spans, as many as there is room for, 3 to
 * 16. `placesPx` is the width of all these columns in pixels. It includes a column for the other services, if any.
 * @param columns number of extra columns
 */
function usePlaces(
  table: RefObject<HTMLElement | null>,
  totals: ReturnType<typeof serviceTotals>,
  columns: number,
): { places: string[]; placesPx: number } {
  const takenPx = otherColumnsPx + columns * valuePx;
  const room = Math.floor((useElementSize(table).width - takenPx) / placePx);
  const places = totals.slice(0, Math.max(3, Math.min(room, mostPlaces))).map((total) => total.name);
  const placesPx = (places.length + (places.length < totals.length ? 1 : 0)) * placePx;
  return { places, placesPx };
}

/** True when a trace began on another day than today in the chosen time zone. Rows then show dates. */
function useOtherDays(results: readonly TraceSummary[]): boolean {
  const zone = useChoice(zoneChoice);
  const today = dateText(Date.now() * 1_000, zone);
  return results.some((row) => dateText(row.startUs, zone) !== today);
}

/** The number of found traces, the number of failed traces, and a note when there may be more. */
function FoundCount({ results, limit }: Pick<ResultListProps, "results" | "limit">) {
  const failed = results.filter((row) => row.errors > 0).length;
  return (
    <p role="status">
      <b>{results.length}</b> {results.length === 1 ? "trace" : "traces"}
      {failed > 0 && (
        <>
          , <span className="results-failed">{failed} with errors</span>
        </>
      )}
      {results.length >= limit && <span className="muted"> – the limit; there may be more</span>}
    </p>
  );
}

/** The inputs of {@link Legend}. */
interface LegendProps {
  /** Services with their numbers of spans, the largest first. */
  totals: ReturnType<typeof serviceTotals>;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Called with all services when the user asks for them. The browser opens the menu. */
  onServices: ServiceMenuHandle["show"];
}

/** The services of the list with the most spans, and a button for all of them. */
function Legend({ totals, hues, onServices }: LegendProps) {
  return (
    <ul className="results-legend" aria-label="Services in these traces">
      {totals.slice(0, mostInLegend).map(({ name, spans }) => (
        <li key={name} title={`${name}: ${spans} spans in these traces`}>
          <ServiceMark hue={hues.get(name)} />
          {cutMiddle(name, mostLegendLetters)}
        </li>
      ))}
      {totals.length > mostInLegend && (
        <li>
          <button
            type="button"
            className="service-others"
            popoverTarget={serviceMenuId}
            onClick={() => onServices({ of: "these traces", services: totals })}
          >
            +{totals.length - mostInLegend}
            <span className="visually-hidden"> of {totals.length} services of these traces</span>
          </button>
        </li>
      )}
    </ul>
  );
}

/** The column headers. All of them sort the rows, except the columns of services. */
function Heads({ sort, columns, onSort }: Pick<ResultListProps, "sort" | "columns" | "onSort">) {
  return (
    <tr>
      <SortHead className="col-start" sort="newest" current={sort} onSort={onSort}>
        Start
      </SortHead>
      <SortHead className="col-root" sort="root" current={sort} onSort={onSort}>
        Root
      </SortHead>
      <th scope="col" className="col-services">
        <span className="wide">Spans by service</span>
        <span className="narrow">Services</span>
      </th>
      {columns.map((column) => (
        <SortHead
          key={column}
          className={sort.endsWith(`@${column}`) ? "col-value sorted" : "col-value"}
          sort={`@${column}`}
          current={sort}
          onSort={onSort}
        >
          {column}
        </SortHead>
      ))}
      <SortHead className="col-number col-spans" sort="spans" current={sort} onSort={onSort}>
        Spans
      </SortHead>
      <SortHead className="col-number" sort="errors" current={sort} onSort={onSort}>
        Errors
      </SortHead>
      <SortHead className="col-duration" sort="longest" current={sort} onSort={onSort}>
        Duration
      </SortHead>
    </tr>
  );
}

/** A column header that sorts the rows; a second click reverses the order. */
function SortHead(props: {
  className: string;
  sort: Sort;
  current: Sort;
  onSort: (sort: Sort) => void;
  children: string;
}) {
  const { className, sort, current, onSort, children } = props;
  const direction = directionOf(sort, current);
  return (
    <th scope="col" className={className} aria-sort={direction} title={children}>
      <button type="button" className="sort-button" onClick={() => onSort(nextSort(sort, current))}>
        <span className="sort-arrow" aria-hidden="true">
          {direction === "none" ? "" : direction === "ascending" ? "↑ " : "↓ "}
        </span>
        {children}
      </button>
    </th>
  );
}
