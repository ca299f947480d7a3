import "./services-page.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { ApiError } from "../../api/api-error.ts";
import { useAskAgain } from "../../api/ask-again.ts";
import { type RateRow, ratesPerPage } from "../../api/rates.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { RateTable } from "./rate-table.tsx";
import { ServiceCharts } from "./service-charts.tsx";
import type { ServicesAddress } from "./services-address.ts";
import type { TracesSearch } from "./traces-of-rate.ts";
import type { ShownRates } from "./use-shown-rates.ts";

const route = getRouteApi("/services");

/** The inputs of {@link RatesBody}. */
interface RatesBodyProps {
  /** State of the page. */
  address: ServicesAddress;
  /** The queries of the page, with answers or errors. */
  shown: ShownRates;
  /** Changes the state. */
  change: (fields: Partial<ServicesAddress>) => void;
}

/** The charts and the table, or a sentence instead while there are no rates. */
export function RatesBody({ address, shown, change }: RatesBodyProps) {
  const navigate = route.useNavigate();
  const askAgain = useAskAgain();
  const { service, lookback, sort, kinds } = address;
  const { rates, whole, services, isEmpty, wanted, page } = shown;
  const { error } = [services, rates, whole].find((query) => query.isError) ?? {};
  if (error instanceof ApiError && error.status === 501) {
    return <NoMetrics />;
  }
  if (error) {
    return <FailureNotice error={error} onRetry={askAgain} />;
  }
  if (isEmpty && services.data?.total === 0) {
    return <NoServices />;
  }
  if (rates.data === undefined) {
    return <Loading>Counting…</Loading>;
  }
  const showTraces = (search: TracesSearch) => void navigate({ to: "/search", search });
  const { rows, total } = rates.data;
  const own = whole.data?.rows.find((row) => row.service === service);
  return (
    <>
      {service !== undefined && whole.data !== undefined && own !== undefined && (
        <ServiceCharts row={own} times={whole.data.times} onTraces={showTraces} />
      )}
      {rows.length === 0 ? (
        <NoRows wanted={wanted} kinds={kinds} />
      ) : (
        <RateTable
          rows={rows}
          head={
            service === undefined ? `Service (${formatCount(total)})` : `Operation (${formatCount(total)})`
          }
          sort={sort}
          onSort={(next) => change({ sort: next })}
          lookback={lookback}
          onTraces={showTraces}
          name={(row) => <RowName row={row} address={address} />}
        />
      )}
      <Pager
        page={page}
        perPage={ratesPerPage}
        total={total}
        what={service === undefined ? "services" : "operations"}
        onPage={(next) => change({ page: String(next) })}
      />
    </>
  );
}

/** A service that leads to its operations, or an operation that leads to its traces. */
function RowName({ row, address }: { row: RateRow; address: ServicesAddress }) {
  if (address.service === undefined) {
    return (
      <Link to="/services" search={{ ...address, service: row.service, filter: undefined, page: "1" }}>
        <ServiceMark hue={serviceHue(row.service)} />
        <CutName>{row.service}</CutName>
      </Link>
    );
  }
  return (
    <Link
      to="/search"
      search={{ service: row.service, operation: row.operation, lookback: address.lookback }}
      title="Search its traces"
    >
      <CutName>{row.operation}</CutName>
    </Link>
  );
}

/** Text that explains an empty table. @param wanted the filter */
function NoRows({ wanted, kinds }: { wanted: string; kinds: ServicesAddress["kinds"] }) {
  return (
    <p className="services-note">
      {wanted === "" ? "Nothing was called in this time." : `No name contains “${wanted}”.`}{" "}
      {kinds === "served" && wanted === "" && "Spans that only work for themselves count with “All spans”."}
    </p>
  );
}

/** Text for a store in which no service has sent spans yet. */
function NoServices() {
  return (
    <Notice kind="plain" title="No services yet">
      <p>
        They appear here with their first spans. The <Link to="/search">search</Link> shows how to send one.
      </p>
    </Notice>
  );
}

/** Text for a server without rates, with the options that enable them. */
function NoMetrics() {
  return (
    <Notice kind="plain" title="This server has no rates">
      <p>
        They come from the built-in store, or from a Prometheus server: start the query service with{" "}
        <code>--metrics-storage.type=prometheus</code> and <code>--prometheus.server-url</code>.
      </p>
    </Notice>
  );
}
