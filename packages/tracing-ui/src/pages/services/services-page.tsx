import "./services-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { ApiError } from "../../api/api-error.ts";
import { servicesQuery } from "../../api/queries.ts";
import { ratesQuery } from "../../api/rates.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { TimeSelect } from "../../components/time-select.tsx";
import { RateTable } from "./rate-table.tsx";
import { ServiceCharts } from "./service-charts.tsx";
import { lookbackMs, type ServicesAddress } from "./services-address.ts";
import { useAskedTime } from "./use-asked-time.ts";

const route = getRouteApi("/services");
const none: readonly string[] = [];

/** Calls, errors and durations of all services, or of one and its operations. */
export function ServicesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { service, lookback, sort, filter = "", kinds } = address;
  const services = useQuery(servicesQuery);
  const names = services.data ?? none;
  const asked = { endMs: useAskedTime(), lookbackMs: lookbackMs(lookback), kinds };
  const shown = service === undefined ? names : [service];
  const rates = useQuery({
    ...ratesQuery({ ...asked, services: shown, byOperation: service !== undefined }),
    placeholderData: keepPreviousData,
  });
  const whole = useQuery({
    ...ratesQuery({ ...asked, services: shown, byOperation: false }),
    enabled: service !== undefined,
    placeholderData: keepPreviousData,
  });
  const change = (fields: Partial<ServicesAddress>) =>
    navigate({ search: { ...address, ...fields }, replace: true });

  useEffect(() => {
    document.title = `${service ?? "Services"} · Tracing`;
  }, [service]);

  function body() {
    const failed = [services, rates, whole].filter((query) => query.isError);
    const error = failed[0]?.error;
    if (error instanceof ApiError && error.status === 501) return <NoMetrics />;
    if (error) return <FailureNotice error={error} onRetry={() => failed.map((query) => query.refetch())} />;
    if (services.data?.length === 0) {
      return (
        <Notice kind="plain" title="No services yet">
          <p>
            They appear here with their first spans. The <Link to="/search">search</Link> shows how to send
            one.
          </p>
        </Notice>
      );
    }
    if (rates.data === undefined) return <p className="services-note">Counting…</p>;
    const wanted = filter.trim().toLowerCase();
    const rows = rates.data.rows.filter((row) =>
      (service === undefined ? row.service : row.operation).toLowerCase().includes(wanted),
    );
    const own = whole.data?.rows.find((row) => row.service === service);
    return (
      <>
        {service !== undefined && whole.data !== undefined && own !== undefined && (
          <ServiceCharts row={own} times={whole.data.times} />
        )}
        {rows.length === 0 ? (
          <p className="services-note">
            {wanted === "" ? "Nothing was called in this time." : `No name contains “${filter.trim()}”.`}{" "}
            {kinds === "served" &&
              wanted === "" &&
              "Spans that only work for themselves count with “All spans”."}
          </p>
        ) : (
          <RateTable
            rows={rows}
            head={service === undefined ? `Service (${rows.length})` : `Operation (${rows.length})`}
            sort={sort}
            onSort={(next) => change({ sort: next })}
            name={(row) =>
              service === undefined ? (
                <Link to="/services" search={{ ...address, service: row.service, filter: undefined }}>
                  <ServiceMark hue={serviceHue(row.service)} />
                  <span className="cut">{row.service}</span>
                </Link>
              ) : (
                <Link
                  to="/search"
                  search={{ service: row.service, operation: row.operation, lookback }}
                  title="Search its traces"
                >
                  <span className="cut">{row.operation}</span>
                </Link>
              )
            }
          />
        )}
      </>
    );
  }

  return (
    <div className="services-page">
      <header className="page-head">
        {service !== undefined && (
          <Link to="/services" search={{ ...address, service: undefined, filter: undefined }}>
            All services
          </Link>
        )}
        <h1 className="page-title">
          {service !== undefined && <ServiceMark hue={serviceHue(service)} />}
          {service ?? "Services"}
        </h1>
        {service !== undefined && (
          <nav className="page-head-links" aria-label="More of this service">
            <Link to="/search" search={{ service, lookback }}>
              Traces
            </Link>
            <Link to="/dependencies" search={{ focus: service, lookback }}>
              Dependencies
            </Link>
          </nav>
        )}
        <div className="page-head-tools">
          <input
            className="field"
            data-slash
            data-command=""
            data-key="/"
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={filter}
            onChange={(event) => change({ filter: event.target.value || undefined })}
          />
          <select
            className="field"
            aria-label="Spans that count"
            value={kinds}
            onChange={(event) => change({ kinds: event.target.value as ServicesAddress["kinds"] })}
          >
            <option value="served">Calls answered</option>
            <option value="all">All spans</option>
          </select>
          <TimeSelect
            value={lookback}
            onChange={(value) => change({ lookback: value as ServicesAddress["lookback"] })}
          />
        </div>
      </header>
      <div className="services-body" aria-busy={rates.isFetching}>
        {body()}
      </div>
    </div>
  );
}

function NoMetrics() {
  return (
    <Notice kind="plain" title="This server has no rates">
      <p>
        They come from the store of the house, or from a Prometheus server: start the query service with{" "}
        <code>--metrics-storage.type=prometheus</code> and <code>--prometheus.server-url</code>.
      </p>
    </Notice>
  );
}
